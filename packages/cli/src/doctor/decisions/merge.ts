/**
 * Walks two sequences that ascend by `order` side by side: each step is an item of one side, or one of each that are at
 * the same place. Holds one item of each side.
 */
export async function* merge<Left, Right>(
  left: AsyncIterable<Left> | Iterable<Left>,
  right: AsyncIterable<Right> | Iterable<Right>,
  order: (left: Left, right: Right) => number,
): AsyncGenerator<{ readonly left?: Left; readonly right?: Right }> {
  const lefts = iterate(left);
  const rights = iterate(right);
  try {
    let [a, b] = [await lefts.next(), await rights.next()];
    while (a.done !== true || b.done !== true) {
      const which = a.done === true ? 1 : b.done === true ? -1 : order(a.value, b.value);
      yield {
        ...(which <= 0 && a.done !== true ? { left: a.value } : {}),
        ...(which >= 0 && b.done !== true ? { right: b.value } : {}),
      };
      if (which <= 0) a = await lefts.next();
      if (which >= 0) b = await rights.next();
    }
  } finally {
    await lefts.return?.(undefined);
    await rights.return?.(undefined);
  }
}

async function* iterate<Item>(items: AsyncIterable<Item> | Iterable<Item>): AsyncGenerator<Item, undefined> {
  yield* items;
  return undefined;
}
