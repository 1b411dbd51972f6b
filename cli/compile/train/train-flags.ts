import type { ObjectiveName } from '../../../core/model/training/objectives/objective.ts'

/** Options of `svc train`. */
export interface TrainFlags {
  readonly base: string
  readonly data: string
  readonly out: string
  readonly objective: ObjectiveName
  readonly instruction?: string
  readonly teacher?: string
  readonly teacherAdapter?: string
  readonly beta?: number
  readonly lmbda?: number
  readonly temperature?: number
  readonly maxNewTokens?: number
  readonly warmup?: number
  readonly maxSteps?: number
  readonly resume?: string
  readonly rank?: number
  readonly alpha?: number
  readonly epochs?: number
  readonly learningRate?: number
  readonly batchTokens?: number
  readonly maxLength?: number
  readonly validationShare?: number
  readonly seed?: number
  readonly threads?: number
  readonly memoryMib?: number
  readonly checkpointSeconds?: number
}
