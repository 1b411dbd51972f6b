import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { scanText } from '../../../../core/gateway/gate/privacy/scan/scan-text.ts'
import { findRental } from '../../../../db/compile/rentals/find-rental.ts'
import { tenantOf } from '../../../../db/kernel/operation.ts'
import { givenApiTenant, useApi } from '../../../support/api.ts'
import { answering } from '../../../support/providers/scripted-model.ts'
import { rentalSettings } from '../../../support/workflows/rentals/given-rentals.ts'
import { useService } from '../../../support/workflows/service.ts'
import { eventually } from '../../../support/wire/eventually.ts'
import { asksForProgram, useTeacher } from './teacher-service.ts'

const BASES = fileURLToPath(new URL('../../../model/golden', import.meta.url))
/** Numbers in the form of those of cards, with wrong check digits: they are no sensitive text. */
const NUMBERS = Array.from({ length: 60 }, (_, i) => `4111 1111 1111 1${100 + i}`).filter(
  (number) => scanText(number).length === 0,
)
const CARD = '4111 1111 1111 1111'
const EXAMPLES = ['red', 'old', 'small', 'good', 'odd', 'warm'].flatMap((first, i) =>
  ['hat', 'cup', 'desk', 'pen', 'lamp', 'rug'].map((second, j) => ({
    input: `${first} ${second}`,
    output: NUMBERS[(i * 7 + j * 5 + i * j) % NUMBERS.length],
  })),
)

describe('the answers of a teacher to a compile on a rented machine', () => {
  const teacher = useTeacher('chat-completions')
  const rentals = rentalSettings({ lane: 'gpu_pods', key: 'a-key', usdPerHour: 1.2, url: () => 'http://127.0.0.1:9' })
  const service = useService({ baseFolders: [BASES], rentals, change: teacher.change })
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
    settings: { baseFolders: [BASES], rentals, publicUrl: 'https://svc.example' },
    limits: { rental_usd_free: 100 },
  })

  it('are scanned before a machine is rented: sensitive text among them stays here', async () => {
    const { id: tenantId, key } = await givenApiTenant(api)
    teacher.script((call) =>
      asksForProgram(call)
        ? answering({ language: 'svc-recipe-1', body: { op: 'input' } })
        : answering({ answer: CARD }),
    )
    const spec = {
      task: 'The number of the thing',
      examples: EXAMPLES,
      unlabelled_inputs: ['new hat', 'new cup', 'new desk'],
      base_model: 'llama-tied',
      k_score_floor: 0,
      lora: { epochs: 1, rank: 4 },
    }
    const body = { backend: 'gpu_pods', budget_usd: 50, confirm: true, spec }
    const accepted = await api.call('POST', '/v1/compile/cloud', { key, body })
    expect(accepted.status, accepted.text).to.equal(202)
    const { job_id: jobId } = accepted.body
    const run = service.temporal.client.workflow.getHandle(jobId)
    await eventually(async () => await run.describe())
    await run.result().catch(() => undefined)
    const { body: job } = await api.call('GET', `/v1/compile/${jobId}`, { key })
    expect(job).to.include({ status: 'failed', error_code: 'privacy_requires_byoc' })
    expect(job.error).to.match(/3 rows hold sensitive text \(payment_card\)/)
    expect((await findRental(tenantOf(service.database.db, tenantId), jobId))?.leases).to.deep.equal([])
  })
})
