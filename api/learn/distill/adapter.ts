import { Readable } from 'node:stream'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { readBlob } from '../../../db/kernel/blobs/read-blob.ts'
import { findRun } from '../../../db/learn/distill/find-run.ts'
import { rawAnswer } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { requireRunId, RunPath } from './runs.ts'

export const getRunAdapterRoute = defineRoute({
  method: 'get',
  path: '/v1/distill/runs/{run_id}/adapter',
  operationId: 'getDistillRunAdapter',
  group: 'distill',
  summary: 'Download the files of a fitted adapter',
  description:
    "A zip of PEFT's two files, `adapter_config.json` and `adapter_model.safetensors`. It is no signed archive: what a run has signed is its artifact.",
  auth: 'key',
  scope: 'artifacts:export',
  namespace: 'bounded',
  params: RunPath,
  answers: { 200: rawAnswer('The files', 'application/zip') },
  errors: ['invalid_run_id', 'not_ready'],
}).handle(async ({ op, params: { run_id: runId } }) => {
  requireRunId(runId)
  const { adapterSha256: digest } = await findRun(op, runId)
  if (!digest) throw COMPILE_ERRORS.not_ready('the run has fitted no adapter')
  const sha256 = `sha256:${digest.replace(/^sha256:/, '')}` as const
  return {
    status: 200,
    raw: { kind: 'stream', stream: Readable.from(readBlob(op.db, sha256), { objectMode: false }) },
    headers: { 'content-disposition': `attachment; filename="${runId}.zip"` },
  }
})
