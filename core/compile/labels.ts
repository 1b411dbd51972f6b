import type { Stage } from './task.ts'

/** The stages in words, the same in the console, the CLI and Temporal's pages. JSON has the machine names. */
export const STAGE_LABELS = {
  queued: 'Waiting to start',
  'k-sample': 'Searching',
  verify: 'Verifying',
  'lora-fit': 'Fitting an adapter',
  bundle: 'Bundling',
  sign: 'Signing',
  ready: 'Ready',
} as const satisfies Readonly<Record<Stage, string>>

/** Returns the stage in words; a name that is not a stage of this version is returned as it is. */
export function stageLabel(name: string): string {
  return Object.entries(STAGE_LABELS).find(([stage]) => stage === name)?.[1] ?? name
}
