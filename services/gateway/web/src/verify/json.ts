/**
 * JSON, read as evidence must be: a name that an object has twice is refused, since two readers could see two files in
 * it, and 1 is told from 1.0. The browser's own parser does neither.
 */

/** A number with a fraction or an exponent: never a whole one, whatever its value. */
export class Decimal {
  constructor(readonly value: number) {}
}

export type JsonObject = ReadonlyMap<string, Json>;
/** A whole number beyond what a number holds exactly is a bigint. */
export type Json = null | boolean | number | bigint | Decimal | string | readonly Json[] | JsonObject;

export class JsonError extends Error {}

const DEEPEST = 100;
const MOST_DIGITS = 400;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
// eslint-like tools aside, the control characters are meant: JSON has none of them in a string.
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const BLANK = /[ \t\n\r]*/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** Reads UTF-8 with or without a byte order mark. Throws `JsonError`. */
export function readJson(file: Uint8Array): Json {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(file);
  } catch {
    throw new JsonError("not UTF-8");
  }
  return new Reader(text).whole();
}

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  whole(): Json {
    const value = this.value(0);
    if (this.at < this.text.length) this.fail();
    return value;
  }

  private value(depth: number): Json {
    if (depth > DEEPEST) this.fail();
    this.match(BLANK);
    const value = this.bare(depth);
    this.match(BLANK);
    return value;
  }

  private bare(depth: number): Json {
    switch (this.text[this.at]) {
      case "{":
        return this.object(depth);
      case "[":
        return this.list(depth);
      case '"':
        return this.string();
      case "t":
        return this.word("true", true);
      case "f":
        return this.word("false", false);
      case "n":
        return this.word("null", null);
      default:
        return this.number();
    }
  }

  private object(depth: number): JsonObject {
    const fields = new Map<string, Json>();
    this.at++;
    this.match(BLANK);
    if (this.eat("}")) return fields;
    do {
      this.match(BLANK);
      if (this.text[this.at] !== '"') this.fail();
      const name = this.string();
      if (fields.has(name)) throw new JsonError(`${name.slice(0, 40)} is there twice`);
      this.match(BLANK);
      if (!this.eat(":")) this.fail();
      fields.set(name, this.value(depth + 1));
    } while (this.eat(","));
    if (!this.eat("}")) this.fail();
    return fields;
  }

  private list(depth: number): Json[] {
    const items: Json[] = [];
    this.at++;
    this.match(BLANK);
    if (this.eat("]")) return items;
    do items.push(this.value(depth + 1));
    while (this.eat(","));
    if (!this.eat("]")) this.fail();
    return items;
  }

  private string(): string {
    this.at++;
    let text = "";
    for (;;) {
      text += this.match(PLAIN)[0];
      if (this.eat('"')) return text;
      if (!this.eat("\\")) this.fail();
      text += this.escaped();
    }
  }

  private escaped(): string {
    const letter = this.text[this.at++] ?? "";
    if (letter !== "u") return ESCAPES[letter] ?? this.fail();
    const digits = this.text.slice(this.at, this.at + 4);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.fail();
    this.at += 4;
    return String.fromCharCode(parseInt(digits, 16));
  }

  private number(): number | bigint | Decimal {
    const [text, fraction, exponent] = this.match(NUMBER);
    if (!text || text.length > MOST_DIGITS) this.fail();
    const value = Number(text);
    if (fraction !== undefined || exponent !== undefined) return new Decimal(value);
    return Number.isSafeInteger(value) ? value + 0 : BigInt(text);
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.fail();
    this.at += word.length;
    return value;
  }

  private match(pattern: RegExp): RegExpExecArray | readonly [string, undefined, undefined] {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (!found) return ["", undefined, undefined];
    this.at += found[0].length;
    return found;
  }

  private eat(sign: string): boolean {
    if (this.text[this.at] !== sign) return false;
    this.at++;
    return true;
  }

  private fail(): never {
    throw new JsonError(`not JSON at character ${this.at + 1}`);
  }
}
