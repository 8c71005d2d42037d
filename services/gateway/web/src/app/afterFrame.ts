/** What can wait until the player has seen what they did. */

/** Does it once the frame that comes next is given away to be drawn. The answer calls it off. */
export function afterFrame(action: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const frame = requestAnimationFrame(() => (timer = setTimeout(action)));
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
