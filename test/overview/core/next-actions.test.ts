import { expect } from 'chai'
import { nextActions, type AccountSnapshot } from '../../../core/overview/next-actions.ts'

const NOW = new Date('2030-06-15T12:00:00Z')
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000)

const QUIET: AccountSnapshot = {
  now: NOW,
  namespaces: [],
  artifacts: [],
  concepts: [],
  artifactCount: 1,
  lastCaptureAt: null,
  spentUsdMicros: 0,
  spentBeforeUsdMicros: 0,
  personalCaptures: 0,
  keyAgeDays: 1,
  keyRotationDays: 90,
  knownProviderKeys: [],
}

const keysOf = (snapshot: Partial<AccountSnapshot>) =>
  nextActions({ ...QUIET, ...snapshot }).map(({ dismissKey }) => dismissKey)

const namespace = (captures: number, compiledDaysAgo: number | null = null, since = captures) => ({
  namespace: 'support',
  captures,
  lastCompiledAt: compiledDaysAgo === null ? null : daysAgo(compiledDaysAgo),
  capturesSinceCompile: since,
})

const artifact = (given: object) => ({
  id: 'cmp_1',
  name: 'Initials',
  signedAt: daysAgo(1),
  kScore: 0.95,
  earlierKScore: null,
  capturesSince: 0,
  ...given,
})

describe('next actions', () => {
  it('propose nothing where nothing is to be done', () => {
    expect(keysOf({})).to.deep.equal([])
  })

  const rules: readonly (readonly [what: string, snapshot: Partial<AccountSnapshot>, expected: readonly string[]])[] = [
    ['a namespace with 100 captures', { namespaces: [namespace(100)] }, ['readiness:support']],
    ['one with 99', { namespaces: [namespace(99)] }, []],
    ['one that was compiled lately', { namespaces: [namespace(500, 89, 199)] }, []],
    ['one with 200 captures since', { namespaces: [namespace(500, 89, 200)] }, ['readiness:support']],
    ['one that was compiled long ago', { namespaces: [namespace(500, 90, 1)] }, ['readiness:support']],
    ['a K-score that fell by 0.03', { artifacts: [artifact({ earlierKScore: 0.98 })] }, ['drift:cmp_1']],
    ['one that fell by less', { artifacts: [artifact({ earlierKScore: 0.979 })] }, []],
    ['an old artifact', { artifacts: [artifact({ signedAt: daysAgo(90), capturesSince: 200 })] }, ['stale:cmp_1']],
    ['an old one without new captures', { artifacts: [artifact({ signedAt: daysAgo(90), capturesSince: 199 })] }, []],
    ['no captures for two weeks', { lastCaptureAt: daysAgo(14) }, ['idle:global']],
    ['captures until yesterday', { lastCaptureAt: daysAgo(1) }, []],
    ['a quarter more spent', { spentUsdMicros: 125, spentBeforeUsdMicros: 100 }, ['cost:burn']],
    ['a little more spent', { spentUsdMicros: 124, spentBeforeUsdMicros: 100 }, []],
    ['personal data in captures', { personalCaptures: 1 }, ['security:pii']],
    ['an old key', { keyAgeDays: 90 }, ['security:key_age']],
    ['a young key', { keyAgeDays: 89 }, []],
    [
      'a shared key that a leaver knows',
      { knownProviderKeys: [{ id: 'pk_1', provider: 'openai' }] },
      ['security:provider_key:pk_1'],
    ],
    [
      'a tenth of 50 calls failed',
      { concepts: [{ conceptId: 'cpt_1', name: 'a', calls: 50, failures: 5 }] },
      ['fallbacks:cpt_1'],
    ],
    ['fewer calls', { concepts: [{ conceptId: 'cpt_1', name: 'a', calls: 49, failures: 49 }] }, []],
    ['no artifact', { artifactCount: 0 }, ['compile:first']],
  ]
  for (const [what, snapshot, expected] of rules) {
    it(`know ${what}`, () => expect(keysOf(snapshot)).to.deep.equal(expected))
  }

  it('come by priority, then by how much there is, then by key', () => {
    const snapshot: Partial<AccountSnapshot> = {
      artifactCount: 0,
      lastCaptureAt: daysAgo(20),
      namespaces: ['b', 'c', 'a'].map((name, i) => ({ ...namespace([300, 900, 300][i] ?? 0), namespace: name })),
      keyAgeDays: 400,
    }
    const all = ['readiness:c', 'readiness:a', 'readiness:b', 'idle:global', 'security:key_age', 'compile:first']
    expect(keysOf(snapshot)).to.deep.equal(all)
  })
})
