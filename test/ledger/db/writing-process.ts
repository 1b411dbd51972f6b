/** A process that changes a tenant's rows, each change with its line in the ledger, until it is killed. */
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { snoozeAction } from '../../../db/overview/account/snoozes.ts'
import { openDatabase } from '../../../db/kernel/database.ts'
import { systemOperation } from '../../../db/kernel/operation.ts'

const [url = '', masterKey = '', tenantId = '', prefix = ''] = process.argv.slice(2)
const WRITERS = 8
/** Every change that was committed stays in its table. */
const LIMITS = { ...DEFAULT_LIMITS, snoozes_per_tenant: 1_000_000 }

const db = await openDatabase({ url, poolSize: WRITERS + 2, masterKey: Buffer.from(masterKey, 'hex') })
const op = systemOperation(db, { tenantId, name: 'test', requestId: 'req_killed' })
await Promise.all(
  Array.from({ length: WRITERS }, async (_, writer) => {
    for (let i = 0; ; i++) {
      const dismissKey = `${prefix}:${writer}.${i}`
      await snoozeAction(op, { dismissKey, days: 1, limits: LIMITS })
      process.stdout.write(`${dismissKey}\n`)
    }
  }),
)
