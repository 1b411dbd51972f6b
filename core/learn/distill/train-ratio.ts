/** Share of the rows of a run to learn from; the others are held out. */
export const TRAIN_RATIO = 0.8
/** With fewer captures every row learns, and each is scored by recipes that have not seen it. */
export const LEAST_TO_HOLD_OUT = 50
/** So small a part of few captures that no row is held out. */
const RATIO_OF_FEW = 0.991

/** Returns the share of captured calls to learn from. */
export function trainRatioOf(captures: number): number {
  return captures < LEAST_TO_HOLD_OUT ? RATIO_OF_FEW : TRAIN_RATIO
}

/** Returns how many of captured calls a run learns from. */
export function trainRowsOf(captures: number): number {
  return Math.round(trainRatioOf(captures) * captures)
}
