/** Bounds of a composite recipe; the reader refuses one that exceeds them (docs/formats/svc-format.md). */
export const COMPOSITE_BOUNDS = {
  /** Nodes on the way to a leaf, the leaf included. */
  depth: 32,
  leaves: 1000,
  /** Leaves that one leaf reads. */
  reads: 32,
  /** UTF-16 units of the name of a member. */
  name: 4096,
} as const
