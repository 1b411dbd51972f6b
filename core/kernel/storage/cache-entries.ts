/**
 * Bounds an `LRUCache` to this many entries. With `max` the cache reserves the memory of all its entries when it is made;
 * with these options it grows with its entries.
 */
export function boundedBy(entries: number): { readonly maxSize: number; readonly sizeCalculation: () => number } {
  return { maxSize: entries, sizeCalculation: () => 1 }
}
