/** Seats that are left and taken back, swaps, breaks, who looks on, and what is said, in English. */

export const enEvening = {
  "seat.grace": { one: "Away, a bot plays in {n} second", other: "Away, a bot plays in {n} seconds" },
  "seat.grace.clock": { one: "Away, the clock plays in {n} second", other: "Away, the clock plays in {n} seconds" },
  "seat.standIn": "{name} plays here for now",
  "seat.left": "Left the table",
  "seat.mine.bot": "A bot plays in your seat",
  "seat.mine.soon": "You play again after this move",
  "seat.mine.back": "You play again",

  "table.frozen": "The table stands still for a moment",
  "table.aborted": "This table was ended by those who run it",

  "leave.title": "Leave for good?",
  "leave.more": "A bot plays your cards at once. The result counts for you, and you do not come back to this match",
  "leave.more.coins": "The clock plays your cards. The result counts for you, and you do not come back to this match",
  "leave.yes": "Leave",
  "left.title": "You have left this table",
  "left.more": "The match goes on without you, and its result counts",
  "left.more.series": "You may come back when the next match of the series begins",

  "watch.title": "Look on",
  "watch.more": "You see what everybody may see: the table, and nobody's hand",
  "watch.here": "You are looking on",
  "watch.count": { one: "{n} looks on", other: "{n} look on" },
  "watch.seat": "To my seat",
  "watch.link": "Link to look on",
  "watch.won": "{name} won",

  "swap.title": "Swap seats?",
  "swap.more": { one: "The second match begins in {n} second", other: "The second match begins in {n} seconds" },
  "swap.ask": "Swap with {name}",
  "swap.agree": "Agree",
  "swap.wants": "{name} wants to swap",
  "swap.waits": "{name} has to agree",
  "swap.none": "No swap so far",
  "swap.done": "Seats are swapped",

  "pause.ask": "Ask for a break",
  "pause.asked": "{name} asks for a break",
  "pause.mine": "You asked for a break",
  "pause.agree": "Agree",
  "pause.waits": "Waiting for: {name}",
  "pause.title": "A break",
  "pause.more": "The match goes on by itself in {time}",
  "pause.end": "Go on playing",
  "pause.used": "This match has had its break",

  "say.title": "Say something",
  "say.mute": "Mute {name}",
  "say.wait": { one: "Slowly: again in {n} second", other: "Slowly: again in {n} seconds" },
  "say.said": "{name}: {text}",
} as const;
