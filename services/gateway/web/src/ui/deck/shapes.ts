/** The deck's own geometry, in units of a card 100 wide and 140 high. */

const r2 = (value: number) => Math.round(value * 100) / 100;

export function diamond(x: number, y: number, halfWidth: number, halfHeight: number): string {
  return `M${r2(x)} ${r2(y - halfHeight)}L${r2(x + halfWidth)} ${r2(y)}L${r2(x)} ${r2(y + halfHeight)}L${r2(x - halfWidth)} ${r2(y)}Z`;
}

/** The khatam: two squares, one turned by an eighth; `radius` reaches to its upright points. */
export function khatam(x: number, y: number, radius: number): string {
  const side = radius / Math.SQRT2;
  const inner = radius - side;
  const points: [number, number][] = [];
  for (let quarter = 0; quarter < 4; quarter += 1) {
    const turn = (quarter * Math.PI) / 2;
    for (const [px, py] of [
      [0, -radius],
      [inner, -side],
      [side, -side],
      [side, -inner],
    ] as const) {
      points.push([x + px * Math.cos(turn) - py * Math.sin(turn), y + px * Math.sin(turn) + py * Math.cos(turn)]);
    }
  }
  return `M${points.map(([px, py]) => `${r2(px)} ${r2(py)}`).join("L")}Z`;
}

/** A cushion's outline from the middle of its top, clockwise: corners out, sides drawn in by `bow`. */
export function cushion(x: number, y: number, size: number, bow: number): string {
  const [left, top, right, bottom] = [x, y, x + size, y + size];
  const [midX, midY] = [x + size / 2, y + size / 2];
  const top2 = r2(top + bow);
  return [
    `M${r2(midX)} ${top2}`,
    `Q${r2((midX + right) / 2)} ${top2} ${r2(right)} ${r2(top)}`,
    `Q${r2(right - bow * 2)} ${r2(midY)} ${r2(right)} ${r2(bottom)}`,
    `Q${r2(midX)} ${r2(bottom - bow * 2)} ${r2(left)} ${r2(bottom)}`,
    `Q${r2(left + bow * 2)} ${r2(midY)} ${r2(left)} ${r2(top)}`,
    `Q${r2((midX + left) / 2)} ${top2} ${r2(midX)} ${top2}Z`,
  ].join("");
}

/** A woven band's parts along `length`: diamonds in the middle, half triangles from both edges between them. */
export function weave(x: number, y: number, length: number, height: number, period: number) {
  const middle = y + height / 2;
  const count = Math.round(length / period);
  const step = length / count;
  const diamonds: string[] = [];
  const triangles: string[] = [];
  for (let at = 0; at <= count; at += 1) {
    const seam = x + at * step;
    if (at < count) diamonds.push(diamond(seam + step / 2, middle, step * 0.31, height * 0.335));
    const from = Math.max(x, seam - step * 0.25);
    const to = Math.min(x + length, seam + step * 0.25);
    const reach = height * 0.31;
    triangles.push(`M${r2(from)} ${r2(y)}L${r2(to)} ${r2(y)}L${r2(seam)} ${r2(y + reach)}Z`);
    triangles.push(`M${r2(from)} ${r2(y + height)}L${r2(to)} ${r2(y + height)}L${r2(seam)} ${r2(y + height - reach)}Z`);
  }
  return { diamonds: diamonds.join(""), triangles: triangles.join("") };
}
