"""A bot in sixty lines: it comes as a guest, plays a match against house bots, and keeps the record of it."""

import argparse
import threading
import uuid
from pathlib import Path

import grpc
from banakil.common.v1.rule_options_pb2 import Mode, Preset
from banakil.lobby.v1 import accounts_pb2, accounts_pb2_grpc, lobby_pb2, lobby_pb2_grpc
from banakil.table.v1 import hints_pb2, records_pb2, table_pb2, table_pb2_grpc, views_pb2
from banakil.table.v1.actions_pb2 import Action

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--address", default="127.0.0.1:7300", help="host:port of the platform")
parser.add_argument("--preset", choices=["sahrat", "banakil202"], default="sahrat")
parser.add_argument("--mode", choices=["partners", "duel"], default="partners")
parser.add_argument("--out", type=Path, default=Path("record.json"), help="the file for the match's record")
args = parser.parse_args()
channel = grpc.insecure_channel(args.address)
accounts, lobby = accounts_pb2_grpc.AccountServiceStub(channel), lobby_pb2_grpc.LobbyServiceStub(channel)
table = table_pb2_grpc.TableServiceStub(channel)
guest = accounts.CreateGuest(accounts_pb2.CreateGuestRequest(display_name="Minimal", bot=True))
renewal = accounts_pb2.RefreshTokenRequest(account_id=guest.account.account_id, refresh_secret=guest.refresh_secret)
auth = (("authorization", f"Bearer {guest.token.jwt}"),)
preset, mode = Preset.Value(f"PRESET_{args.preset.upper()}"), Mode.Value(f"MODE_{args.mode.upper()}")
wish = lobby_pb2.QuickPlayRequest(command_id=str(uuid.uuid4()), preset=preset, mode=mode, with_house_bots=True)
wait = lobby_pb2.WatchRoomRequest(room_id=lobby.QuickPlay(wish, metadata=auth).room.room_id)
table_id = [news.room.table_id for news in lobby.WatchRoom(wait, metadata=auth)][-1]  # at last it is a table


def choose(deal: views_pb2.DealView) -> Action:
    """Draws, then lays the best melds, then throws the highest card that is not wild."""
    if deal.phase == views_pb2.PHASE_DRAW:
        return Action(draw=Action.Draw()) if deal.stock_count or deal.pile[1:] else Action(pass_turn=Action.Pass())
    melds = table.GetHints(hints_pb2.GetHintsRequest(table_id=table_id), metadata=auth).hints.best.melds
    highest = max(deal.hand, key=lambda card: (card[0] != "2" and card != "JK", card))
    return Action(meld=Action.Lay(melds=melds)) if melds else Action(discard=Action.Discard(card=highest))


view, record = views_pb2.View(), records_pb2.GetRecordResponse()
while not record.complete:
    try:
        updates = table.Watch(table_pb2.WatchRequest(table_id=table_id), metadata=auth)
        view = next(updates).snapshot
        if view.stage == views_pb2.STAGE_CLOSED:
            record = table.GetRecord(records_pb2.GetRecordRequest(match_id=view.match.match_id), metadata=auth)
        elif view.deal.turn_no and view.deal.turn_seat == view.viewer_seat:
            act = table_pb2.ActRequest(table_id=table_id, command_id=str(uuid.uuid4()), action=choose(view.deal))
            act.deal_no, act.turn_no = view.deal.deal_no, view.deal.turn_no
            table.Act(act, metadata=auth)
        else:  # look again when a move has made it our turn, or when something else has happened
            ours = {view.deal.turn_no + (view.viewer_seat - view.deal.turn_seat) % len(view.seats), 0}
            next((update for update in updates if not view.deal.turn_no or update.delta.turn_no in ours), None)
    except grpc.RpcError as fault:  # a move that came too late, a server that is away, a token that is over
        print(f"{fault.details()}; going on")
        threading.Event().wait(0.5)
        auth = (("authorization", f"Bearer {accounts.RefreshToken(renewal, wait_for_ready=True).token.jwt}"),)
args.out.write_text(record.record_json)
print(*(half / 2 for half in view.match.total_half_points), f"won by team {view.match.winner_team}", sep=" : ")
