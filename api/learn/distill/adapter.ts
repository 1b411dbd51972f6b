import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { findBlob } from '../../../db/kernel/blobs/read-blob.ts'
import { findRun } from '../../../db/learn/distill/find-run.ts'
import { recordAdapterDownload } from '../../../db/learn/distill/record-adapter-download.ts'
import { rawAnswer } from '../../kernel/reply/answers.ts'
import { downloadBlob } from '../../kernel/reply/blob-download.ts'
import { toSha256 } from '../../kernel/reply/digest.ts'
import { defineRoute } from '../services.ts'
import { requireRunId, RunPath } from './runs.ts'

export const getRunAdapterRoute = defineRoute({
  method: 'get',
  path: '/v1/distill/runs/{run_id}/adapter',
  operationId: 'getDistillRunAdapter',
  group: 'distill',
  summary: 'Download the files of a fitted adapter',
  description:
    "A zip of PEFT's two files, `adapter_config.json` and `adapter_model.safetensors`. It is no signed archive: what a run has signed is its artifact. Each answer with bytes is in the audit log.",
  auth: 'key',
  scope: 'artifacts:export',
  namespace: 'bounded',
  params: RunPath,
  answers: {
    200: rawAnswer('The files', 'application/zip'),
    206: rawAnswer('The part of the zip that `Range` asks for', 'application/zip'),
    304: rawAnswer('`If-None-Match` names the zip', 'application/zip'),
    416: rawAnswer('`Range` asks for what is not there', 'application/zip'),
  },
  errors: ['invalid_run_id', 'not_ready'],
}).handle(async ({ op, request, params: { run_id: runId } }) => {
  requireRunId(runId)
  const { adapterSha256 } = await findRun(op, runId)
  const blob = adapterSha256 ? await findBlob(op.db, toSha256(adapterSha256)) : null
  if (blob === null) throw COMPILE_ERRORS.not_ready('the run has fitted no adapter')
  return await downloadBlob(op.db, request, {
    sha256: blob.sha256,
    sizeBytes: blob.sizeBytes,
    fileName: `${runId}.zip`,
    audit: async (part) => await recordAdapterDownload(op, { runId, part }),
  })
})
