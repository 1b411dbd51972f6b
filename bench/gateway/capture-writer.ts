/**
 * Writes captures until it is killed, and prints the id of each that was acknowledged as durable: the process that
 * `bench/gateway/captures.ts` kills. Takes its stores from the environment.
 */
import { openCaptureWriter } from '../../db/gateway/captures/writer/writer.ts'
import { openDatabase } from '../../db/kernel/database.ts'
import { loadSigningKeys } from '../../db/ledger/across/signing-keys.ts'
import { DEFAULT_LIMITS } from '../../core/limits.ts'
import { captureMaker } from './made-captures.ts'

const { BENCH_URL = '', BENCH_KEY = '', BENCH_FOLDER = '', BENCH_TENANT = '' } = process.env
const AT_ONCE = 32

const db = await openDatabase({ url: BENCH_URL, poolSize: 4, masterKey: Buffer.from(BENCH_KEY, 'hex') })
const { current: signer } = await loadSigningKeys(db)
const quiet = { info: () => undefined, warn: () => undefined, error: console.error }
const writer = openCaptureWriter({
  db,
  signer,
  folder: BENCH_FOLDER,
  limits: DEFAULT_LIMITS,
  takeRoom: () => undefined,
  now: () => new Date(),
  log: quiet,
})
const make = captureMaker(process.pid)
await Promise.all(
  Array.from({ length: AT_ONCE }, async (_, i) => {
    for (;;) {
      const capture = make(BENCH_TENANT)
      const isDurable = await writer.write(capture, i % 4 === 0 ? 'before_answer' : 'grouped')
      if (isDurable) process.stdout.write(`${capture.facts.id}\n`)
      // Leaves the process time to print.
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }),
)
