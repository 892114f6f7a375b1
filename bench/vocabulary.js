/** Makes 60,000 words and draws from them: the word of rank n comes in proportion to 1 / n. */
export function vocabulary() {
  const syllables = 'ta ne ro mi ka lo ser ver pre con ing tion er ment al is de un sta port gra le vi do su an'.split(
    ' ',
  );
  let state = 1;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const all = new Set();
  while (all.size < 60_000) {
    let word = '';
    for (let left = 1 + Math.floor(random() * 4); left > 0; left--)
      word += syllables[Math.floor(random() * syllables.length)];
    all.add(word);
  }
  const list = [...all];
  return { one: () => list[Math.floor(list.length ** random()) - 1] };
}
