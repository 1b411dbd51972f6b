import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow'
import type { WorkStage } from '../../../core/compile/rows/task.ts'
import { K_SCORE_KEY, STAGE_KEY } from '../../kernel/names.ts'
import type { CompileProgressState } from './progress.ts'

/** Begins a stage and shows it. */
export function begin(state: CompileProgressState, stage: WorkStage): void {
  state.begin(stage)
  show(state)
}

/** Ends a stage with a note for people. */
export function end(state: CompileProgressState, stage: WorkStage, note: string): void {
  state.complete(stage, note)
  setCurrentDetails(state.describe())
}

/** Shows the state in the run's details and search attributes. */
export function show(state: CompileProgressState): void {
  const { kScore } = state.snapshot()
  setCurrentDetails(state.describe())
  upsertSearchAttributes([
    { key: STAGE_KEY, value: state.label() },
    ...(kScore === null ? [] : [{ key: K_SCORE_KEY, value: kScore }]),
  ])
}
