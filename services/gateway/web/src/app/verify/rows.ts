/** A deal's checks as the page tells them: a row for each question, with its answer, and a value to compare. */

import { hex } from "../../verify/bytes";
import type { Check, Outcome } from "../../verify/checks";
import { HUMAN, SHUT_OUT, contextOf, seatsOfKind, type FairDeal } from "../../verify/deal";
import type { DealReport } from "../../verify/record";
import type { VerifyWords } from "../../i18n/verify";

export interface Row {
  readonly key: string;
  readonly outcome: Outcome;
  readonly text: string;
  /** Runs left to right; empty where there is none. */
  readonly value: string;
  /** Why it fails or stays open; empty where it holds. */
  readonly note: string;
  /** The same for who writes programs, in English. */
  readonly detail: string;
}

type Question =
  | "fair"
  | "asked"
  | "commitment"
  | "contributions"
  | "closed"
  | "transcript"
  | "rules"
  | "deck"
  | "draws"
  | "reshuffles"
  | "starter"
  | "chain"
  | "earlier"
  | "whole"
  | "voids"
  | "sent"
  | "signatures"
  | "witness"
  | "receipts"
  | "root";

/** Which checks answer which question, in the order in which a deal came about. */
const QUESTIONS: readonly (readonly [Question, RegExp])[] = [
  ["asked", /^asked$/],
  ["fair", /^fair$/],
  ["commitment", /^commitment$/],
  ["contributions", /^client_commitments$/],
  ["closed", /^closed(_set)?$/],
  ["transcript", /^transcript$/],
  ["rules", /^(rules|cut_due)$/],
  ["deck", /^deck$/],
  ["draws", /^draws$/],
  ["reshuffles", /^reshuffles$/],
  ["starter", /^starter$/],
  ["chain", /^chain$/],
  ["earlier", /^earlier_/],
  ["whole", /^(order|withheld|account_voids|match_end)$/],
  ["sent", /^void\[\d\]\.failed_sent$/],
  ["voids", /^void(_attempts$|\[\d\]\.(?!failed_sent$|signature\.|root$))/],
  ["signatures", /^(void\[\d\]\.)?signature\.(?!root$)/],
  ["witness", /^witness(?!\.receipt-)/],
  ["receipts", /^witness\.receipt-/],
  ["root", /root$/],
];

/** What is counted also where it does not hold as a whole. */
const PARTLY: ReadonlySet<Question> = new Set(["earlier", "signatures", "witness", "receipts"]);

/** The rows of a deal, in the order in which it came about. `firstNo` is the number of the file's first deal. */
export function rowsOf(report: DealReport, firstNo: number | null, t: VerifyWords): Row[] {
  const rows = QUESTIONS.flatMap(([question, fits]) => {
    const checks = report.checks.filter(({ name }) => fits.test(name));
    return checks.length && shown(question, checks, report) ? [rowOf(question, checks, report, firstNo, t)] : [];
  });
  if (!report.deal || rows.some(({ key }) => key === "witness")) return rows;
  const open = { outcome: "cannot_check", value: "", detail: "" } as const;
  const none = { key: "witness", text: t("step.witness"), note: t("open.witness"), ...open };
  const at = rows.findIndex(({ key }) => key === "receipts" || key === "root");
  return at < 0 ? [...rows, none] : [...rows.slice(0, at), none, ...rows.slice(at)];
}

export interface Counts {
  readonly holds: number;
  readonly fails: number;
  readonly open: number;
}

export function countsOf(rows: readonly Row[]): Counts {
  const count = (wanted: Outcome) => rows.filter(({ outcome }) => outcome === wanted).length;
  return { holds: count("holds"), fails: count("fails"), open: count("cannot_check") };
}

/** Whether no person's number came into the deal: the operator could have chosen it. */
export function isAlone(deal: FairDeal): boolean {
  return seatsOfKind(deal.played.closed, HUMAN).length === 0;
}

/** That nothing was mixed anew needs no row. */
function shown(question: Question, checks: readonly Check[], { played }: DealReport): boolean {
  return question !== "reshuffles" || !played || played.reshuffles > 0 || checks[0]?.outcome === "fails";
}

/** Several checks are one answer: one that fails decides, and one that is open leaves all of it open. */
function outcomeOf(checks: readonly Check[]): Outcome {
  const outcomes = checks.map(({ outcome }) => outcome);
  return outcomes.includes("fails") ? "fails" : outcomes.includes("cannot_check") ? "cannot_check" : "holds";
}

function rowOf(
  question: Question,
  checks: readonly Check[],
  report: DealReport,
  firstNo: number | null,
  t: VerifyWords,
): Row {
  const outcome = outcomeOf(checks);
  const detail = checks.find((check) => check.outcome === outcome)?.detail ?? "";
  return {
    key: question,
    outcome,
    text: question === "starter" ? starterText(report, t) : t(`step.${question}`),
    value: outcome === "holds" || PARTLY.has(question) ? valueOf(question, checks, report, firstNo) : "",
    note: outcome === "holds" ? "" : t(outcome === "fails" ? failKey(question) : openKey(question, detail)),
    detail: outcome === "fails" ? detail : "",
  };
}

function failKey(question: Question) {
  return question === "earlier" || question === "sent" ? "fail.voids" : (`fail.${question}` as const);
}

function openKey(question: Question, detail: string) {
  if (question === "fair" || question === "sent") return `open.${question}` as const;
  if (detail.startsWith("it is that of the key")) return "open.keys";
  if (detail.startsWith("not all of the play")) return "open.play";
  return "open.file";
}

function starterText({ cut, checks, deal }: DealReport, t: VerifyWords): string {
  if (cut !== null) return t("step.starter.cut", { n: cut });
  const drawn = deal && contextOf(deal).dealNo === 1;
  const answered = checks.some(({ name, outcome }) => name === "starter" && outcome !== "cannot_check");
  return t(!answered ? "step.starter.open" : drawn ? "step.starter.drawn" : "step.starter.next");
}

function valueOf(question: Question, checks: readonly Check[], report: DealReport, firstNo: number | null): string {
  const { deal, played, deck, starter } = report;
  if (!deal) return "";
  const { closed } = deal.played;
  const ctx = contextOf(deal);
  const good = checks.filter(({ outcome }) => outcome === "holds").length;
  switch (question) {
    case "commitment":
      return short(hex(closed.commitment));
    case "contributions":
      return ofAll(seatsOfKind(closed, HUMAN).length, ctx.seats - seatsOfKind(closed, SHUT_OUT).length);
    case "closed":
      return String(ctx.seats);
    case "transcript":
      return short(hex(deal.transcript));
    case "rules":
      return ctx.rules;
    case "deck":
      return deck.length ? ofAll(deck.length, deck.length) : "";
    case "draws":
      return played ? ofAll(played.actions, played.actions) : "";
    case "reshuffles":
      return played ? ofAll(played.reshuffles, played.reshuffles) : "";
    case "starter":
      return starter === null ? "" : String(starter + 1);
    case "chain":
      return firstNo === null ? "" : `${firstNo}–${ctx.dealNo}`;
    case "earlier":
      return String(ctx.dealNo - 1);
    case "voids":
      return String(deal.voids.length);
    case "signatures":
    case "witness":
    case "receipts":
      return good ? ofAll(good, checks.length) : "";
    default:
      return "";
  }
}

const ofAll = (some: number, all: number) => `${some} / ${all}`;
const short = (text: string) => `${text.slice(0, 6)}…${text.slice(-4)}`;
