import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createComputeCores } from '../../../core/compile/stages/pool/compute-cores.ts'
import { evenShare } from '../../../core/kernel/threads/cores.ts'
import type { Slot } from '../../../core/kernel/threads/fair/fair-lane.ts'
import type { GenerateRequest } from '../../../core/model/generation/generator.ts'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { computeDayOf } from '../../../db/compile/compute/compute-day.ts'
import { givenApiTenant, useApi, type Answer, type ApiTenant } from '../../support/api.ts'
import { givenProgramVersion, givenVersion } from '../../support/archives/signed-artifacts.ts'
import { TINY_TRAINING, tinyRecipe, writeTinyBase } from '../../support/archives/tiny-bases.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { eventually } from '../../support/wire/eventually.ts'
import { useService } from '../../support/workflows/service.ts'

/** Rows that no model has right. */
const ROWS = Array.from({ length: 40 }, (_, place) => ({ input: `parcel ${place}`, output: `NUMBER ${place}` }))
const TASK =
  'task: parcels\ntest_split: test\ndoc_to_text: input\ndoc_to_target: output\ngeneration_kwargs: {max_gen_toks: 4}\n'
/** Seconds: another tenant that waits is served at the end of a step. */
const TURN_S = 0.001

/** Work that generates, by the path that starts it and the path of its state. */
interface Work {
  readonly path: string
  readonly body: (given: Given) => object
  readonly poll: (started: Answer['body']) => string
  /** Answers that it takes at most. */
  readonly most: number
  /** True for work that units pay for: its time does not count as unpaid. */
  readonly isPaid?: boolean
}

interface Given {
  readonly dataset: string
  readonly adapters: readonly [string, string]
  readonly program: string
}

const evaluation = (target: (given: Given) => object): Work => ({
  path: '/v1/evals',
  body: (given) => ({ task: TASK, data: { test: ROWS }, target: target(given) }),
  poll: ({ evaluation_id: id }) => `/v1/evals/${id}`,
  most: ROWS.length,
})
const bakeoff = (contestant: (given: Given) => string): Work => ({
  path: '/v1/bakeoffs',
  body: (given) => ({ dataset_id: given.dataset, contestants: [contestant(given)], opts: { max_tokens: 4 } }),
  poll: ({ bakeoff_id: id }) => `/v1/bakeoffs/${id}`,
  most: ROWS.length,
})
const WORKS: Readonly<Record<string, Work>> = {
  'an evaluation of an adapter': evaluation(({ adapters: [artifact_id] }) => ({ artifact_id })),
  'an evaluation of a base': evaluation(() => ({ base: 'tiny' })),
  'an evaluation of a base with an adapter': evaluation(({ adapters: [adapter_id] }) => ({ base: 'tiny', adapter_id })),
  'a bake-off with an adapter': bakeoff(({ adapters: [artifact] }) => artifact),
  'a bake-off with a base': bakeoff(() => 'base:tiny'),
  'a gate of two adapters': {
    path: '/v1/eval/gate',
    body: ({ adapters: [candidate_artifact, baseline_artifact] }) => {
      return { candidate_artifact, baseline_artifact, rows: ROWS }
    },
    poll: ({ gate_id: id }) => `/v1/eval/gates/${id}`,
    most: 2 * ROWS.length,
    isPaid: true,
  },
  'a gate of an adapter and a program': {
    path: '/v1/eval/gate',
    body: ({ adapters: [candidate_artifact], program }) => {
      return { candidate_artifact, baseline_artifact: program, rows: ROWS }
    },
    poll: ({ gate_id: id }) => `/v1/eval/gates/${id}`,
    most: ROWS.length,
    isPaid: true,
  },
  'a measurement of an adapter': {
    path: '/v1/bench/inference/run',
    body: ({ adapters: [artifact_id] }) => {
      return { artifact_id, prompts: ROWS.map(({ input }) => input), repeats: 1, warm_up: 0, concurrency: [1] }
    },
    poll: ({ poll }) => poll,
    most: ROWS.length,
  },
}

describe('generation of a tenant', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-turns-'))
  const cores = createComputeCores(2, { ...DEFAULT_LIMITS, fit_turn_s: TURN_S })
  /** Requests for answers, and the gate that they wait at. */
  const asked: string[] = []
  let gate: Promise<void> = Promise.resolve()
  const slots: Slot[] = []
  let threads = 0
  /** Done once before rows are scored. */
  let beforeScore: (() => Promise<void>) | null = null
  const service = useService({
    baseFolders: [folder],
    change: (deps) => ({
      ...deps,
      cores,
      generators: {
        ...deps.generators,
        use: async (name, task) =>
          await deps.generators.use(name, async ({ base, generator }) => {
            const generate = async (request: GenerateRequest) => {
              asked.push(`${request.adapter?.hash} ${request.promptIds.join()}`)
              await gate
              return await generator.generate(request)
            }
            return await task({ base, generator: { ...generator, generate } })
          }),
      },
      scoring: {
        ...deps.scoring,
        withScoring: async (set, signal, work) => {
          threads++
          try {
            return await deps.scoring.withScoring(set, signal, async (thread) => {
              const before = beforeScore
              beforeScore = null
              await before?.()
              return await work(thread)
            })
          } finally {
            threads--
          }
        },
      },
    }),
  })
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
    settings: { baseFolders: [folder] },
    limits: { sync_bakeoff_wait_s: 0, sync_inference_wait_s: 0 },
  })
  let tenant: ApiTenant
  let given: Given
  before(async () => {
    const base = await writeTinyBase(folder, 'tiny')
    tenant = await givenApiTenant(api)
    const op = setUpOperation(service.database.db, tenant.id)
    const adapter = async (seed: number): Promise<string> => {
      const content = { recipe: tinyRecipe(base, seed), training: TINY_TRAINING, signer: service.deps.signer }
      return (await givenVersion(op, content)).jobId
    }
    const made = await call('POST', '/v1/datasets', { namespace: 'parcels', rows: ROWS, train_ratio: 0.5 })
    expect(made.status, made.text).to.equal(201)
    const { jobId: program } = await givenProgramVersion(op, service.deps.signer)
    given = { dataset: made.body.dataset_id, adapters: [await adapter(1), await adapter(2)], program }
  })
  after(async () => await rm(folder, { recursive: true }))
  beforeEach(() => asked.splice(0))
  afterEach(() => {
    for (const slot of slots.splice(0)) slot.release()
  })

  const call = async (method: string, path: string, body?: object): Promise<Answer> =>
    await api.call(method, path, { key: tenant.key, ...(body !== undefined && { body }) })
  const start = async ({ path, body }: Work): Promise<Answer['body']> => {
    const started = await call('POST', path, body(given))
    expect(started.status, started.text).to.equal(202)
    return started.body
  }
  const ended = async (poll: string): Promise<Answer['body']> => {
    let shown = await call('GET', poll)
    await eventually(async () => {
      shown = await call('GET', poll)
      expect(shown.body.finished_at, shown.text).to.be.a('string')
    })
    return shown.body
  }
  const usedMs = async (): Promise<number> => {
    const text = 'select coalesce(sum(used_ms), 0)::integer as ms from unpaid_compute where tenant_id = $1'
    const [row] = await sendSql<{ ms: number }>(service.database.db, text, [tenant.id])
    return row?.ms ?? 0
  }
  /** Starts work, and returns once another tenant has the slot in its place. */
  const overtaken = async (work: Work) => {
    const open = Promise.withResolvers<void>()
    gate = open.promise
    const started = await start(work)
    await eventually(async () => expect(asked).not.to.be.empty)
    expect([cores.short.held, cores.long.held], 'slots of the lanes').to.deep.equal([0, 1])
    const taking = cores.long.take(evenShare('another tenant'), { signal: AbortSignal.timeout(90_000) })
    open.resolve()
    const slot = await taking
    slots.push(slot)
    return { poll: work.poll(started), slot }
  }

  for (const [name, work] of Object.entries(WORKS)) {
    it(`gives way to another tenant in ${name}, and goes on where it was`, async () => {
      const before = await usedMs()
      const { poll, slot } = await overtaken(work)
      expect(asked.length, 'answers before it gave way').to.be.below(work.most)
      expect([threads, (await call('GET', poll)).body.finished_at]).to.deep.equal([0, null])
      if (work.isPaid !== true) await eventually(async () => expect(await usedMs()).to.be.above(before))
      slot.release()
      const done = await ended(poll)
      if (work.isPaid === true) expect(await usedMs(), 'units pay for it').to.equal(before)
      expect(done.state, JSON.stringify(done)).to.equal('succeeded')
      expect(new Set(asked).size, 'no row is asked twice').to.equal(asked.length)
      if (work.path === '/v1/evals') expect([asked.length, done.scored]).to.deep.equal([ROWS.length, ROWS.length])
    })
  }

  it('is no work of programs, which answer in the short lane', async () => {
    let slots: readonly number[] = []
    beforeScore = async () => {
      slots = await Promise.resolve([cores.short.held, cores.long.held])
    }
    const work = evaluation(({ program: artifact_id }) => ({ artifact_id }))
    const done = await ended(work.poll(await start(work)))
    expect([done.state, slots]).to.deep.equal(['succeeded', [1, 0]])
  })

  it('ends with the allowance of the day, is refused until the next, and goes on where it was', async () => {
    const work = evaluation(({ adapters: [artifact_id] }) => ({ artifact_id }))
    const { poll, slot } = await overtaken(work)
    const use = async (ms: number) => {
      const text = `insert into unpaid_compute (tenant_id, day, used_ms) values ($1, $2, $3)
        on conflict (tenant_id, day) do update set used_ms = unpaid_compute.used_ms + excluded.used_ms`
      await sendSql(service.database.db, text, [tenant.id, computeDayOf(new Date()), ms])
    }
    const allowanceMs = DEFAULT_LIMITS.unpaid_compute_s_day_free * 1000
    await use(allowanceMs)
    slot.release()
    const failed = await ended(poll)
    expect([failed.state, failed.error_code]).to.deep.equal(['failed', 'compute_exhausted'])
    for (const each of Object.values(WORKS).filter(({ isPaid }) => isPaid !== true)) {
      const refused = await call('POST', each.path, each.body(given))
      expect([refused.status, refused.body.code], refused.text).to.deep.equal([429, 'compute_exhausted'])
    }
    expect((await call('POST', `${poll}/resume`, {})).body.code).to.equal('compute_exhausted')
    await use(-allowanceMs)
    const resumed = await call('POST', `${poll}/resume`, {})
    expect(resumed.status, resumed.text).to.equal(202)
    expect(await ended(poll)).to.deep.include({ state: 'succeeded', scored: ROWS.length })
    expect(new Set(asked).size, 'no row is asked twice').to.equal(asked.length)
  })

  it('scores again what could not be read, and leaves no thread', async () => {
    const rename = async (from: string, to: string) =>
      await sendSql(service.database.db, `alter table evaluation_rows rename column ${from} to ${to}`, [])
    beforeScore = async () => {
      await rename('sample', 'unreadable')
    }
    const work = evaluation(() => ({ base: 'tiny' }))
    const poll = work.poll(await start(work))
    const attempts = async () => {
      const { pendingActivities } = await service.temporal.client.workflow
        .getHandle(poll.split('/').at(-1) ?? '')
        .describe()
        .then(({ raw }) => raw)
      return pendingActivities?.[0]?.attempt ?? 0
    }
    await eventually(async () => expect(await attempts()).to.be.above(1))
    expect([threads, cores.long.held]).to.deep.equal([0, 0])
    await rename('unreadable', 'sample')
    expect(await ended(poll)).to.deep.include({ state: 'succeeded', scored: ROWS.length })
  })
})
