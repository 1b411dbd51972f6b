import { adapterHash } from '../../../core/model/files/lora-adapter.ts'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { openDatabase } from '../../../db/kernel/database.ts'
import { createTemporalClient } from '../../../temporal/client.ts'
import { trainHere } from '../../../activities/compile/compile/adapter/train-here.ts'
import { testLog } from '../../support/workflows/quiet-runtime.ts'

// One attempt at a fit in a process of its own, which a test kills. Prints the hash of the adapter at its end.
const [tenantId = '', jobId = '', inputSha256 = '', bases = '', address = ''] = process.argv.slice(2)
const db = await openDatabase({
  url: process.env['DATABASE_URL'] ?? '',
  poolSize: 4,
  masterKey: Buffer.from(process.env['SVC_MASTER_KEY'] ?? '', 'hex'),
})
const temporal = createTemporalClient({ address, namespace: 'default', codecKey: undefined })
const { fitted } = await trainHere(
  {
    db,
    temporal,
    limits: { ...DEFAULT_LIMITS, trainer_threads: 1, trainer_checkpoint_s: 0.02 },
    baseFolders: [bases],
    log: testLog(),
    now: () => new Date(),
  },
  { tenantId, jobId, inputSha256: `sha256:${inputSha256.slice('sha256:'.length)}` },
  { signal: new AbortController().signal, attempt: 1, note: () => undefined, progress: () => undefined },
)
process.stdout.write(`${adapterHash(fitted.adapter)} ${fitted.steps}\n`)
process.exit(0)
