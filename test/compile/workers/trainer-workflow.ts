import { proxyActivities } from '@temporalio/workflow'

/** Input and answer of the trainer's activity; see workers/trainer/README.md. */
export interface TrainerActivities {
  fitAdapter(input: { readonly jobId: string; readonly inputSha256: string }): Promise<TrainerResult>
}

/** Digests of the blobs that a fit left, and its facts. */
export interface TrainerResult {
  readonly adapterConfigSha256: string
  readonly adapterModelSha256: string
  readonly trainingSha256: string
  readonly steps: number
  readonly bestStep: number
  readonly loss: number
  readonly validationLoss: number | null
}

/** A fit by the Python worker, and nothing else. */
export async function fitOnTrainer(inputSha256: string): Promise<TrainerResult> {
  const { fitAdapter } = proxyActivities<TrainerActivities>({
    taskQueue: 'lora-fit-gpu',
    startToCloseTimeout: '10 minutes',
    heartbeatTimeout: '10 seconds',
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    retry: { initialInterval: '100 milliseconds' },
  })
  return await fitAdapter({ jobId: 'cmp_trainer', inputSha256 })
}
