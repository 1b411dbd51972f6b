import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import pLimit from 'p-limit'
import { GUIDE_GROUPS } from '../../../../api/overview/docs/guides.ts'
import { RECORDED_EXAMPLES } from '../../../../api/overview/examples/recorded-examples.ts'
import { ROUTES } from '../../../../api/routes.ts'
import { ENVELOPE_FIELDS } from '../../../../core/kernel/wire/envelope.ts'
import { givenApiTenant, useApi } from '../../../support/api.ts'
import { schemasOf } from '../../../support/wire/declared-routes.ts'
import { useService } from '../../../support/workflows/service.ts'
import { runPage } from './run-page.ts'
import { CHECKED_PAGES, NOT_RUN, reasonNotToRun, RUN_PAGES, snippetsOf } from './snippets.ts'
import { recordExamples, shapeDifferences } from './record-examples.ts'

const FILE = fileURLToPath(new URL('../../../../api/overview/examples/recorded.json', import.meta.url))

/** Pages whose commands run beside each other: most of their time is the start of the CLI. */
const PAGES_AT_ONCE = 3

describe('the documentation against a running service', function () {
  this.timeout(300_000)
  const service = useService()
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
  })

  describe('the recorded examples of the OpenAPI document', () => {
    it('have the shape that the service answers with today (npm run openapi:examples records them)', async () => {
      const recorded = await recordExamples(api)
      if (process.env['SVC_RECORD_EXAMPLES'] !== undefined)
        await writeFile(FILE, `${JSON.stringify(recorded, null, 2)}\n`)
      else {
        expect(Object.keys(recorded)).to.deep.equal(Object.keys(RECORDED_EXAMPLES))
        for (const [id, example] of Object.entries(recorded)) {
          const { status, answer, body = null } = RECORDED_EXAMPLES[id] ?? { status: 0, answer: null }
          expect(example.status, id).to.equal(status)
          const differences = shapeDifferences([example.body ?? null, example.answer], [body, answer])
          expect(differences, id).to.deep.equal([])
        }
      }
    })

    for (const [id, { body, status, answer }] of Object.entries(RECORDED_EXAMPLES)) {
      it(`match the schemas of ${id}`, () => {
        const route = ROUTES.find((other) => other.operationId === id)
        const declared = route?.answers[status]
        if (!route || !declared) throw new Error(`${id} has no answer ${status}`)
        if (body !== undefined) expect(schemasOf(route).body?.safeParse(body).error).to.equal(undefined)
        if (declared.kind !== 'json') return
        const schema = declared.isEnveloped ? declared.schema.extend(ENVELOPE_FIELDS) : declared.schema
        expect(schema.safeParse(answer).error).to.equal(undefined)
      })
    }

    it('hold no secret', () => {
      const text = JSON.stringify(RECORDED_EXAMPLES)
      expect(text).not.to.match(/\b(?:ks|kao|scim)_[0-9a-z]{12}_(?!0{26})[0-9a-z]{26}/)
      expect(text).not.to.match(/127\.0\.0\.1|localhost|\/tmp\//)
    })

    it('stand in the document', async () => {
      const { body } = await api.call('GET', '/openapi.json')
      const { requestBody, responses } = body.paths['/v1/compile'].post
      expect(requestBody.content['application/json'].example.task).to.equal('Family name first')
      expect(responses['200'].content['application/json'].example.status).to.equal('completed')
    })

    it('are missing where the document says so, group by group', async () => {
      const { body } = await api.call('GET', '/openapi.json')
      const recorded = new Set(
        ROUTES.filter(({ operationId }) => operationId in RECORDED_EXAMPLES).map(({ group }) => group),
      )
      for (const { name, description } of body.tags) {
        expect(description, name).to.equal(
          recorded.has(name)
            ? undefined
            : 'No recorded calls: the examples of these operations are made from their schemas.',
        )
      }
      expect(body.tags.map(({ name }: { name: string }) => name)).to.include('trainer')
    })
  })

  describe('the commands and snippets of README and guides', () => {
    const running = new Map<string, Promise<PromiseSettledResult<void>[]>>()
    before(() => {
      const limit = pLimit(PAGES_AT_ONCE)
      for (const page of RUN_PAGES) {
        const run = async () => await runPage(page, { url: api.url, key: (await givenApiTenant(api)).key })
        running.set(page, Promise.allSettled([limit(run)]))
      }
    })

    for (const page of RUN_PAGES) {
      it(`run, and print what the page shows: ${page}`, async () => {
        const [outcome] = (await running.get(page)) ?? []
        if (outcome?.status === 'rejected') throw outcome.reason
      })
    }

    it('are examples that a compile takes, where they are rows', async () => {
      const { key } = await givenApiTenant(api)
      const rows = RUN_PAGES.flatMap((page) => snippetsOf(page)).filter(({ marks }) => marks[0] === 'ExampleRows')
      expect(rows).to.have.length.greaterThan(0)
      for (const { text } of rows) {
        const body = { task: 'Initial and family name', examples: JSON.parse(text) }
        const { status, text: said } = await api.call('POST', '/v1/compile/estimate', { key, body })
        expect(status, said).to.equal(200)
      }
    })
  })
})

describe('the blocks of README and documentation', () => {
  const pages = ['README.md', ...GUIDE_GROUPS.flatMap(({ guides }) => guides.map(({ path }) => `docs/${path}.md`))]

  it('run against a service, are checked by the test of their format, or say why not', () => {
    const known = [...RUN_PAGES, ...Object.keys(CHECKED_PAGES)]
    expect(pages.filter((page) => !known.includes(page))).to.deep.equal([])
    for (const page of RUN_PAGES) {
      for (const snippet of snippetsOf(page)) {
        const isRun = ['sh', 'text'].includes(snippet.language) || snippet.marks.length > 0
        expect(isRun || reasonNotToRun(snippet) !== undefined, `${page}:${snippet.line}`).to.equal(true)
      }
    }
  })

  it('name tests that are there, where they say that one runs the block', () => {
    const named = Object.values(NOT_RUN).flatMap((why) => why.match(/\b(?:test|workers)\/[\w/.-]*\w/g) ?? [])
    expect(named).to.have.length.greaterThan(20)
    expect(named.filter((path) => !existsSync(path))).to.deep.equal([])
  })

  it('have no reason that no block needs', () => {
    const blocks = pages.flatMap((page) => snippetsOf(page)).map(({ page, text }) => `${page}: ${text}`)
    const unused = Object.keys(NOT_RUN).filter((start) => !blocks.some((block) => block.startsWith(start)))
    expect(unused).to.deep.equal([])
  })
})
