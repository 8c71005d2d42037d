// Makes what the look takes from type: font subsets, rank outlines, the wordmark. Its output is committed; run it by hand
// (`node scripts/look-assets.mjs`) after changing a weight, a character set or the wordmark.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import * as hb from "harfbuzzjs";
import subsetFont from "subset-font";

const READEX = "node_modules/@fontsource-variable/readex-pro/files/readex-pro-";
const KUFI = "node_modules/@fontsource/reem-kufi/files/reem-kufi-arabic-700-normal.woff2";
const RANK_WEIGHT = 650;
const DOT = 84;
const HEADER = "// Made by scripts/look-assets.mjs; OFL outlines.\n";

const range = (from, to) => Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at)).join("");
const LATIN = range(0x20, 0x7e) + range(0xa0, 0xff) + "–—‘’“”•…−×";
const ARABIC = range(0x20, 0x2f) + range(0x600, 0x6ff);

async function fonts() {
    mkdirSync("src/styles/fonts", { recursive: true });
    for (const [script, text] of [
        ["latin", LATIN],
        ["arabic", ARABIC],
    ]) {
        const whole = readFileSync(`${READEX}${script}-wght-normal.woff2`);
        const variationAxes = { wght: { min: 400, max: 650 } };
        const part = await subsetFont(whole, text, { targetFormat: "woff2", variationAxes });
        writeFileSync(`src/styles/fonts/readex-${script}.woff2`, part);
    }
}

async function shaped(file, text, weight) {
    const bytes = await subsetFont(readFileSync(file), text, { targetFormat: "truetype" });
    const font = new hb.Font(new hb.Face(new hb.Blob(new Uint8Array(bytes).buffer)));
    if (weight) font.setVariations([new hb.Variation("wght", weight)]);
    const buffer = new hb.Buffer();
    buffer.addText(text);
    buffer.guessSegmentProperties();
    hb.shape(font, buffer);
    const places = buffer.getGlyphPositions();
    let x = 0;
    return buffer.getGlyphInfos().map((info, at) => {
        const place = places[at];
        const outline = moved(font.glyphToPath(info.codepoint), x + place.xOffset, place.yOffset);
        x += place.xAdvance;
        return { outline, right: x };
    });
}

/** An outline's commands, y down, moved. */
function moved(path, dx, dy) {
    return [...path.matchAll(/([MLQCZ])([^MLQCZ]*)/g)].map(([, verb, numbers]) => {
        const values = (numbers.match(/-?[\d.]+/g) ?? []).map(Number);
        return { verb, values: values.map((value, at) => Math.round(at % 2 ? -(value + dy) : value + dx)) };
    });
}

const drawn = (outline) => outline.map(({ verb, values }) => verb + values.join(" ")).join("");

function contours(outline) {
    const all = [];
    for (const command of outline) {
        if (command.verb === "M") all.push([]);
        all.at(-1).push(command);
    }
    return all.map((commands) => {
        const points = commands.flatMap(({ values }) => values);
        const xs = points.filter((_, at) => at % 2 === 0);
        const ys = points.filter((_, at) => at % 2 === 1);
        const box = { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
        return { commands, box };
    });
}

async function ranks() {
    const lines = [];
    for (const text of [..."A23456789JQK"]) {
        const [glyph] = await shaped(`${READEX}latin-wght-normal.woff2`, text, RANK_WEIGHT);
        lines.push(`  ${JSON.stringify(text)}: "${drawn(glyph.outline)}",`);
    }
    const ten = await shaped(`${READEX}latin-wght-normal.woff2`, "10", RANK_WEIGHT);
    lines.push(`  T: "${ten.map((glyph) => drawn(glyph.outline)).join("")}",`);
    const joker = await shaped(`${READEX}latin-wght-normal.woff2`, "JK", RANK_WEIGHT);
    lines.push(`  JK: "${joker.map((glyph) => drawn(glyph.outline)).join("")}",`);
    const says = "/** Outlines of the ranks, 1000 units to the em, baseline at y = 0. */\n";
    writeFileSync("src/ui/deck/ranks.ts", `${HEADER}${says}export const RANKS = {\n${lines.join("\n")}\n} as const;\n`);
}

/** The word in outlines, its dots as diamonds. */
async function wordmark() {
    const glyphs = await shaped(KUFI, "بناكل");
    const parts = contours(glyphs.flatMap((glyph) => glyph.outline));
    const isDot = ({ box }) => (box.bottom < -350 && box.right - box.left < 200) || (box.top > 0 && box.left > 1500);
    const word = parts
        .filter((part) => !isDot(part))
        .map(({ commands }) => drawn(commands))
        .join("");
    // A little further out than the font's dots: diamonds have less weight.
    const dots = parts.filter(isDot).map(({ box }) => {
        const x = (box.left + box.right) / 2;
        const y = (box.top + box.bottom) / 2 + (box.top > 0 ? 52 : -40);
        return `M${x} ${y - DOT}L${x + DOT} ${y}L${x} ${y + DOT}L${x - DOT} ${y}Z`;
    });
    const boxes = parts.map(({ box }) => box);
    const left = Math.min(...boxes.map((box) => box.left));
    const top = Math.min(...boxes.map((box) => box.top));
    const width = Math.max(...boxes.map((box) => box.right)) - left;
    const height = Math.max(...boxes.map((box) => box.bottom)) + 80 - top;
    const lines = [
        `export const WORDMARK_BOX = "${left} ${top} ${width} ${height}";`,
        `export const WORDMARK = "${word}";`,
        `export const WORDMARK_DOTS = "${dots.join("")}";`,
    ];
    writeFileSync("src/ui/brand/wordmark.ts", `${HEADER}${lines.join("\n")}\n`);
}

mkdirSync("src/ui/deck", { recursive: true });
mkdirSync("src/ui/brand", { recursive: true });
await fonts();
await ranks();
await wordmark();
