import { prepareFit } from '../../../core/compile/stages/lora/prepare-fit.ts'
import { apart } from '../core/rows/given-rows.ts'
import { hashBase } from '../../../core/model/files/base-model.ts'
import { inspectBase } from '../../../core/model/files/inspect-base.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import { putBlob } from '../../../db/kernel/blobs/put-blob.ts'
import type { Database } from '../../../db/kernel/database.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { putTrainingRecords } from '../../../db/compile/progress/training/training-records.ts'
import { givenTenant } from '../../support/db/given.ts'
import { submitJob } from '../../support/workflows/service.ts'

/** Words in the alphabet of the small base, in both orders. */
const ROWS = ['red', 'old', 'small', 'good', 'odd', 'warm'].flatMap((first) =>
  ['hat', 'cup', 'desk', 'pen', 'lamp', 'rug'].map((second) => ({
    id: `${first}_${second}`,
    input: `${first} ${second}`,
    output: `${second} ${first}`,
  })),
)

/** A job with the input of one fit. */
export interface GivenFit {
  readonly jobId: string
  readonly inputSha256: Sha256
  readonly op: Operation
}

/** A job with the input of one fit on `llama-tied` in the folder `bases`, as `planAdapter` leaves it. */
export async function givenFit(db: Database, bases: string): Promise<GivenFit> {
  const { op } = await givenTenant(db)
  const { job } = await submitJob(op, { examples: ROWS.map(({ input, output }) => ({ input, output })) })
  const directory = `${bases}/llama-tied`
  const { fits } = await prepareFit({
    task: 'Swap the words',
    rows: ROWS,
    negatives: [],
    split: apart(ROWS),
    teacherRows: [],
    base: { name: 'llama-tied', directory, weightsHash: await hashBase(directory, await inspectBase(directory)) },
    options: { epochs: 20, rank: 4 },
    memoryBudgetBytes: 2 ** 30,
  })
  const { sha256: inputSha256 } = await putBlob(db, fits[0]?.document ?? new Uint8Array())
  const record = { role: 'input', blobSha256: inputSha256, facts: null } as const
  await putTrainingRecords(op, { jobId: job.id, fit: inputSha256, now: new Date(), records: [record] })
  return { jobId: job.id, inputSha256, op }
}
