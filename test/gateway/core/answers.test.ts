import { expect } from 'chai'
import { createHandbook } from '../../../api/overview/docs/handbook.ts'
import { ROUTES } from '../../../api/routes.ts'
import { commandsNamed } from '../../../core/kernel/search/commands.ts'
import { extractAnswer, passagesFor } from '../../../core/kernel/search/extract-answer.ts'
import { createSearchIndex } from '../../../core/kernel/search/search-index.ts'
import { wordsOf } from '../../../core/kernel/search/words.ts'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'

const handbook = createHandbook(() => ROUTES, DEFAULT_LIMITS)
const answer = async (question: string) => {
  const index = await handbook.index()
  return extractAnswer(index, question, passagesFor(index, question, 6))
}

/** Questions with a page that answers each. */
const ANSWERED: Readonly<Record<string, string>> = {
  'How do I list my artifacts?': '/docs/api#tag/artifacts/listArtifacts',
  'How is the K-score computed?': '/docs/guides/k-score',
  'How do I revoke a scoped key?': '/docs/api#tag/accounts/revokeScopedKey',
  'What happens when a job is gated?': '/docs/guides/results#a-gated-job',
  'How do I verify an archive offline?': '/docs/guides/get-started#verify-and-run-it-offline',
  'How can I export captures as Parquet?': '/docs/api#tag/captures/exportCaptures',
  'What does exit code 4 mean?': '/docs/guides/cli#exit-codes',
  'How do I run every row of a CSV file?': '/docs/guides/batches',
  'Can I share an artifact with a link?': '/docs/guides/sharing',
  'What is redacted before a call is sent to a provider?': '/docs/guides/privacy#sensitive-text',
  'How do I export an artifact as GGUF?': '/docs/guides/exports#gguf',
  'How do I set a budget for a namespace?': '/docs/guides/privacy#settings-of-a-namespace',
  'How do I invite a member to my team?': '/docs/api#tag/teams/inviteToTeam',
  'How are streams ended when the provider cuts them off?': '/docs/guides/gateway#streams',
  'How do I remove my account?': '/docs/api#tag/accounts/deleteAccount',
  'Where do my conversations sync between devices?': '/docs/assistant#conversations',
}

/** Questions that the documentation does not answer. */
const UNKNOWN = [
  'What is the capital of France?',
  'Who won the world cup in 2018?',
  'How do I bake sourdough bread?',
  'Tell me a joke',
  'Can svc control my smart fridge?',
  'How tall is Mount Everest?',
  'Does svc support COBOL mainframes?',
  'How do I deploy to Kubernetes?',
  'How do I train a diffusion model for images?',
  'hello',
  'what',
  '¿?',
]

describe('answers from the documentation', () => {
  for (const [question, url] of Object.entries(ANSWERED)) {
    it(`finds ${url} for "${question}"`, async () => {
      const found = passagesFor(await handbook.index(), question, 6)
      expect(found.map(({ passage }) => passage.url)).to.include(url)
    })
  }

  it('are none for what the documentation does not answer', async () => {
    for (const question of UNKNOWN) expect(await answer(question), question).to.equal(null)
    expect((await handbook.index()).missing('How do I bake sourdough bread?')).to.deep.equal(['sourdough', 'bread'])
  })

  it('consist of sentences that stand in the sections they cite', async () => {
    const found = await answer('How are streams ended when the provider cuts them off?')
    const [passage] = found?.passages ?? []
    expect(found?.text).to.match(/\[1\]$/)
    const said = found?.text.replace(/ \[1\]$/, '') ?? ''
    expect(passage?.blocks.map(({ text }) => text.replaceAll(/\s+/g, ' ')).join(' ')).to.contain(said)
  })

  it('have addresses of pages and headings that exist, apart from those of the README', async () => {
    const { passages } = await handbook.index()
    const pages = new Set(passages.map(({ url }) => url?.split('#')[0] ?? null))
    expect(pages.has('/docs/api') && pages.has('/docs/guides/cli') && pages.has(null)).to.equal(true)
    const operations = new Set(ROUTES.map(({ operationId }) => operationId))
    for (const { url } of passages) {
      const [, operation] = /^\/docs\/api#tag\/[^/]+\/(.*)$/.exec(url ?? '') ?? []
      if (operation !== undefined) expect(operations.has(operation), operation).to.equal(true)
    }
    const ofOperators = ROUTES.filter(({ auth }) => auth === 'admin').map(({ operationId }) => `/${operationId}`)
    expect(passages.filter(({ url }) => ofOperators.some((id) => url?.endsWith(id) === true))).to.deep.equal([])
  })

  it('know the commands of the guides, and those that a text names', async () => {
    const { passages } = await handbook.commands()
    expect(passages.map(({ heading }) => heading)).to.include('svc usage')
    expect(commandsNamed('Use `npx svc usage` or\n```sh\nsvc keys list  # all\nls\n```\nnot svc plans')).to.deep.equal([
      { raw: 'svc usage', verb: 'usage' },
      { raw: 'svc keys list', verb: 'keys' },
    ])
  })
})

describe('the search in passages', () => {
  const passage = (heading: string, text: string) => ({
    url: null,
    title: 'A page',
    heading,
    blocks: [{ kind: 'prose' as const, text }],
  })

  it('prefers headings to texts, rare words to usual ones, and short passages to long ones', async () => {
    const index = await createSearchIndex([
      passage('Quota', 'Units of a month.'),
      passage('Invoices', 'An invoice names the quota of the month and the units that were used.'),
      passage('Teams', 'A team shares units.'),
    ])
    const headings = (question: string) => index.search(question, 3).map((found) => found.passage.heading)
    expect(headings('quota')).to.deep.equal(['Quota', 'Invoices'])
    expect(headings('units of an invoice')[0]).to.equal('Invoices')
    expect(headings('nothing of this')).to.deep.equal([])
    expect(index.search('quota zebra', 1)[0]?.coverage).to.be.lessThan(0.5)
  })

  it('compares words without endings, and some with others of their meaning', async () => {
    expect(wordsOf('Revoking keys, revoked key')).to.deep.equal(['revok', 'key', 'revok', 'key'])
    expect(wordsOf('k_score_floor')).to.deep.equal(['k', 'scor', 'floor'])
    const index = await createSearchIndex([passage('Delete a link', 'It ends.'), passage('Share', 'With a link.')])
    expect(index.search('removing links', 1)[0]?.passage.heading).to.equal('Delete a link')
  })
})
