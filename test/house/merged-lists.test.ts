import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { ACTIONS_BY_AREA } from '../../core/actions.ts'
import { ERROR_CODES, ERRORS_BY_AREA } from '../../core/errors.ts'
import { DEFAULT_LIMITS, LIMITS_BY_AREA } from '../../core/limits.ts'
import { SCOPES, SCOPES_BY_AREA } from '../../core/scopes.ts'

/** Layers whose files use what the areas define. */
const LAYERS = ['core', 'db', 'temporal', 'workflows', 'activities', 'api', 'workers']

/** The areas, lowest first. */
const AREAS = Object.keys(ERRORS_BY_AREA)

/** Limits whose names the code builds from a plan. */
const BY_PLAN = /^(quota|running_jobs|stored_bytes|compute_weight|unpaid_compute_s_day|rental_usd|audit_days)_[a-z]+$/

/** Scopes that are published for routes to come. A scope that a route asks for leaves this list. */
const NOT_YET_ASKED = ['webhook:read', 'webhook:write']

/** Files of areas that read a merged list, each with its reason: other files see their own area and those below. */
const READ_MERGED: Readonly<Record<string, string>> = {
  'db/kernel/operation.ts': 'operations have scopes of all areas',
  'db/ledger/audit/record-audit.ts': 'areas record their own actions',
  'api/kernel/guard/rate-limits.ts': 'routes of all areas name limits',
  'api/kernel/openapi/openapi.ts': 'routes of all areas name limits',
  'api/kernel/request/call.ts': 'routes of all areas read limits',
  'api/kernel/request/route-schemas.ts': 'routes of all areas read limits',
  'api/kernel/route.ts': 'routes of all areas name codes, limits and scopes',
  'core/accounts/key-scopes/parse-scopes.ts': 'keys hold scopes of all areas',
  'core/accounts/key-scopes/scope-presets.ts': 'presets hold scopes of all areas',
  'core/accounts/roles.ts': 'roles hold scopes of all areas',
  'api/accounts/keys/scopes.ts': 'publishes all scopes',
  'api/kernel/request/validate.ts': 'checks of schemas and routes name codes',
  'api/kernel/openapi/openapi-errors.ts': 'the reference page describes all codes',
  'api/ledger/audit-sentence.ts': 'lines of the audit log hold actions of all areas',
  'api/compile/submit/failure.ts': 'rows of jobs name codes',
  'api/learn/datasets/answer-build.ts': 'rows of versions name codes',
  'activities/learn/distill/collect-rows.ts': 'rows of versions name codes',
  'activities/compile/compile/adapter/judge-adapter.ts': 'a fit failed with a code that Temporal carried',
  'workflows/kernel/run-chores.ts': 'the report of a tick names codes of all areas',
}

interface Source {
  readonly file: string
  readonly text: string
}

const sources: readonly Source[] = LAYERS.flatMap((layer) =>
  readdirSync(layer, { recursive: true, encoding: 'utf8' }).map((path) => `${layer}/${path}`),
)
  .filter((file) => file.endsWith('.ts') && !/^core\/(\w+\/)?(errors|limits|scopes|actions)\.ts$/.test(file))
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }))
const allText = sources.map(({ text }) => text).join('\n')

describe('a list that areas define and the root merges', () => {
  it('defines each error code once, and a file uses it', () => {
    expectOnce(namesOf(ERRORS_BY_AREA), Object.keys(ERROR_CODES))
    expect(Object.keys(ERROR_CODES).filter((code) => !new RegExp(`[.'\`]${code}\\b`).test(allText))).to.deep.equal([])
  })

  it('defines each limit once, and a file reads it', () => {
    expectOnce(namesOf(LIMITS_BY_AREA), Object.keys(DEFAULT_LIMITS))
    const unread = Object.keys(DEFAULT_LIMITS).filter((name) => !new RegExp(`\\b${name}\\b`).test(allText))
    expect(unread.filter((name) => !BY_PLAN.test(name))).to.deep.equal([])
    const prefixes = new Set(unread.map((name) => BY_PLAN.exec(name)?.[1]))
    expect([...prefixes].filter((prefix) => !allText.includes(`\`${prefix}_\${`))).to.deep.equal([])
  })

  it('defines each scope once, and a file asks for it', () => {
    expectOnce(namesOf(SCOPES_BY_AREA), SCOPES)
    expect(SCOPES.filter((scope) => !allText.includes(`'${scope}'`))).to.have.members(NOT_YET_ASKED)
  })

  it('defines each audit action once, a file writes it, and a test looks for it', () => {
    const actions = Object.values(namesOf(ACTIONS_BY_AREA)).flat()
    expectOnce(namesOf(ACTIONS_BY_AREA), actions)
    const tests = readdirSync('test', { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('merged-lists.test.ts'))
      .map((path) => readFileSync(`test/${path}`, 'utf8'))
      .join('\n')
    const missing = (text: string) => actions.filter((action) => !text.includes(`'${action}'`))
    expect({ written: missing(allText), tested: missing(tests) }).to.deep.equal({ written: [], tested: [] })
  })

  it('gives an area its own audit actions and those below', () => {
    const backward = sources.flatMap(({ file, text }) => {
      const own = areaOf(file)
      return Object.entries(namesOf(ACTIONS_BY_AREA)).flatMap(([area, actions]) =>
        own >= 0 && AREAS.indexOf(area) > own
          ? actions.filter((action) => text.includes(`'${action}'`)).map((action) => `${file}: ${action}`)
          : [],
      )
    })
    expect(backward).to.deep.equal([])
  })

  it('is read whole by an area only for a reason', () => {
    const readers = sources.filter((source) => areaOf(source.file) >= 0 && importsMerged(source))
    expect(readers.map(({ file }) => file)).to.have.members(Object.keys(READ_MERGED))
  })
})

/** True when a file imports a value or a type of a merged list. */
function importsMerged({ file, text }: Source): boolean {
  return [...text.matchAll(/^import (?:type )?\{[^}]*\} from '(\..*)'$/gm)].some(([, path = '']) =>
    /^core\/(errors|limits|scopes|actions)\.ts$/.test(join(dirname(file), path)),
  )
}

/** The place of a file's area in the order; -1 for the roots, which see all areas. */
function areaOf(file: string): number {
  return AREAS.indexOf(file.split('/')[1] ?? '')
}

function namesOf(byArea: Readonly<Record<string, object>>): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(byArea).map(([area, list]) => [area, Object.keys(list)]))
}

/** Every name stands in one area, and the merged list has them all. */
function expectOnce(byArea: Readonly<Record<string, readonly string[]>>, merged: readonly string[]): void {
  const names = Object.values(byArea).flat()
  expect(names.filter((name, place) => names.indexOf(name) !== place)).to.deep.equal([])
  expect(names.toSorted()).to.deep.equal(merged.toSorted())
}
