import type { BakeoffAnswer } from '../answer.ts'
import type { BakeoffRow } from '../bakeoff.ts'

/** The source of the answers of a contestant. */
export type Answerer =
  | { readonly kind: 'rule' | 'classifier' | 'cache'; readonly train: readonly BakeoffRow[]; readonly budgetMs: number }
  /** An artifact whose recipe needs no base. */
  | { readonly kind: 'artifact'; readonly archive: Uint8Array }

/** The result of opening a contestant. */
export interface Opened {
  /** Null when it can answer; else why it cannot. */
  readonly reason: string | null
  readonly fitMs: number
  readonly fitCpuMs: number
}

/** Rows to answer, without their outputs. */
export type Asked = Pick<BakeoffRow, 'place' | 'input'>

/** The tasks of the thread of one contestant. */
export interface ContestantTasks {
  /** Fits or opens the contestant. */
  readonly open: { readonly input: Answerer; readonly output: Opened }
  /** Answers rows, each measured by the clock and by the processor time of the thread. */
  readonly answer: { readonly input: readonly Asked[]; readonly output: readonly BakeoffAnswer[] }
}
