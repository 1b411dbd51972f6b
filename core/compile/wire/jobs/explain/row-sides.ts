/**
 * Sides of a row: scored by a recipe that did not learn from it, marked `test` by the caller, learned from only, or
 * unlabelled and worth a label.
 */
export const ROW_SIDES = ['held_out', 'test', 'learned', 'to_label'] as const
export type RowSide = (typeof ROW_SIDES)[number]
