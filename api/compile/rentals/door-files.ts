import { MOST_ADAPTER_BYTES } from '../../../core/compile/archive/zip/layout.ts'
import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { invalidField, KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { changeLease } from '../../../db/compile/rentals/door.ts'
import { putTrainingRecords } from '../../../db/compile/progress/training/training-records.ts'
import { putBlob } from '../../../db/kernel/blobs/put-blob.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { readParts } from '../../kernel/request/multipart.ts'
import type { SpooledRows } from '../../kernel/request/spool.ts'
import { defineRoute, type CompileServices } from '../services.ts'
import { bounded } from '../submit/received-file.ts'
import { DOOR_ERRORS, leaseOf, MACHINES, type OpenLease } from './lease.ts'

const FILES = ['checkpoint', 'adapter_config', 'adapter_model', 'training'] as const
type FileName = (typeof FILES)[number]

const MOST_TEXT_BYTES = 16 * 1024 * 1024
/** Largest files, where `trainer_upload_bytes` is not smaller. An adapter has to fit into its archive. */
const MOST_BYTES: Readonly<Record<FileName, number>> = {
  checkpoint: Infinity,
  adapter_config: MOST_TEXT_BYTES,
  adapter_model: MOST_ADAPTER_BYTES,
  training: MOST_TEXT_BYTES,
}
/** Shortest time between two checkpoints: each is stored whole. */
const BETWEEN_CHECKPOINTS_MS = 1000

export const sendFileRoute = defineRoute({
  method: 'post',
  path: '/v1/trainer/files',
  operationId: 'sendTrainerFile',
  group: 'trainer',
  summary: 'Send a checkpoint or a file of the adapter',
  description: (limits) =>
    `Multipart with one file of at most ${limits.trainer_upload_bytes} bytes. Files are parsed as hostile when the fit is finished.`,
  auth: 'public',
  scope: undefined,
  limit: MACHINES,
  stores: 'blobs',
  query: z.object({
    name: z.enum(FILES),
    step: z.coerce.number().int().min(0).max(1e9).default(0).meta({ description: 'Of a checkpoint' }),
  }),
  multipart: z.object({
    file: z.string().meta({ description: 'The bytes', override: { type: 'string', format: 'binary' } }),
  }),
  answers: { 200: envelope('The file is stored', z.object({ sha256: z.string(), size_bytes: z.int() })) },
  errors: [...DOOR_ERRORS, 'compile_cancelled', 'already_finished', 'not_found', 'busy', 'storage_full'],
}).handle(
  async () => {
    throw KERNEL_ERRORS.unsupported_media_type('send the file as multipart/form-data')
  },
  async (call) => {
    const open = await leaseOf(call)
    const { name, step } = call.query
    if (name === 'checkpoint') requireApart(open, call.services.now())
    const spooled = await receive(call.request, call.services, { name, tenantId: open.op.tenantId })
    try {
      call.services.storage.take(spooled.sizeBytes)
      const blob = await putBlob(open.op.db, spooled.read(), { maxBytes: spooled.sizeBytes })
      await keepNamed(open, { name, step, sha256: blob.sha256, now: call.services.now() })
      return { status: 200, body: { sha256: blob.sha256, size_bytes: blob.sizeBytes } }
    } finally {
      await spooled.release()
    }
  },
)

function requireApart({ lease: { checkpointAt } }: OpenLease, now: Date): void {
  if (checkpointAt === null || now.getTime() - checkpointAt.getTime() >= BETWEEN_CHECKPOINTS_MS) return
  throw KERNEL_ERRORS.busy('checkpoints come too fast', { retryAfterS: 1 })
}

/** Names a stored file in the row that keeps it. */
async function keepNamed(
  { lease, op, fit }: OpenLease,
  file: { readonly name: FileName; readonly step: number; readonly sha256: `sha256:${string}`; readonly now: Date },
): Promise<void> {
  const { name, step, sha256, now } = file
  switch (name) {
    case 'checkpoint': {
      const record = { role: 'checkpoint', blobSha256: sha256, facts: { step } } as const
      await putTrainingRecords(op, { jobId: lease.jobId, fit, now, records: [record] })
      await changeLease(op, lease.id, { hasCheckpoint: true })
      return
    }
    case 'adapter_config':
      await changeLease(op, lease.id, { configSha256: sha256 })
      return
    case 'adapter_model':
      await changeLease(op, lease.id, { weightsSha256: sha256 })
      return
    case 'training':
      await changeLease(op, lease.id, { trainingSha256: sha256 })
  }
}

async function receive(
  request: IncomingMessage,
  { limits, spool }: Pick<CompileServices, 'limits' | 'spool'>,
  { name, tenantId }: { readonly name: FileName; readonly tenantId: string },
): Promise<SpooledRows> {
  const maxBytes = Math.min(MOST_BYTES[name], limits.trainer_upload_bytes)
  const files: SpooledRows[] = []
  try {
    await readParts(request, limits.trainer_upload_bytes, [], async ({ name: part, stream }) => {
      const bounds = {
        tenantId: `trainer/${tenantId}`,
        uploadBytes: maxBytes,
        tenantBytes: 2 * limits.trainer_upload_bytes,
        refuse: () => KERNEL_ERRORS.busy('too many files are under way; try again shortly', { retryAfterS: 5 }),
      }
      files.push(await spool.write(bounded(stream, part, maxBytes), bounds))
    })
    const [file, ...others] = files
    if (file === undefined) throw invalidField('file', 'is required')
    if (others.length > 0) throw invalidField('file', 'must be the only file')
    return file
  } catch (error) {
    for (const file of files) await file.release()
    throw error
  }
}
