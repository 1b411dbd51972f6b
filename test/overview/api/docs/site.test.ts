import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { GUIDE_FILES, GUIDE_GROUPS } from '../../../../api/overview/docs/guides.ts'
import { addressOf, renderGuide } from '../../../../api/overview/docs/render-guide.ts'
import { documentationSite } from '../../../../api/overview/docs/site.ts'

const DOCS = fileURLToPath(new URL('../../../../docs/', import.meta.url))
const GUIDES = GUIDE_GROUPS.flatMap(({ guides }) => guides.map(({ path }) => path))

describe('the documentation site', () => {
  const { files } = documentationSite()
  const textOf = (path: string): string => files.get(path)?.bytes.toString('utf8') ?? ''

  it('has a page for each Markdown file of docs, decisions aside, and each file beside them', () => {
    const found = readdirSync(DOCS, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(DOCS.length))
      .filter((path) => !path.startsWith('decisions/'))
    const served = [...GUIDES.map((path) => `${path}.md`), ...Object.keys(GUIDE_FILES)]
    expect(found.toSorted()).to.deep.equal(served.toSorted())
  })

  it('has no link that leads nowhere, between its pages or to a heading', () => {
    const anchors = new Map(
      GUIDES.map((path) => {
        const { headings } = renderGuide(readFileSync(`${DOCS}${path}.md`, 'utf8'), path)
        return [`/docs/${path}`, new Set(headings.map(({ anchor }) => anchor))]
      }),
    )
    const others = new Set(['/', '/openapi.json'])
    for (const path of ['/docs', ...GUIDES.map((guide) => `/docs/${guide}`)]) {
      for (const [, href = ''] of textOf(path).matchAll(/<a[^>]* href="([^"]+)"/g)) {
        const [target = '', fragment] = href.split('#')
        const page = target === '' ? path : target
        expect(files.has(page) || others.has(page), `${path}: ${href}`).to.equal(true)
        if (fragment !== undefined && page !== '/docs' && fragment !== 'main')
          expect(anchors.get(page)?.has(fragment), `${path}: ${href}`).to.equal(true)
      }
    }
  })

  it('leads from a Markdown file to the page of another, as on GitHub', () => {
    expect(addressOf('files.md#types', 'guides/cli')).to.equal('/docs/guides/files#types')
    expect(addressOf('../formats/svc-format.md', 'guides/cli')).to.equal('/docs/formats/svc-format')
    expect(addressOf('vectors/example.svc', 'formats/svc-format')).to.equal('/docs/formats/vectors/example.svc')
    expect(addressOf('#types', 'guides/cli')).to.equal('#types')
    expect(addressOf('https://example.org/a.md', 'guides/cli')).to.equal('https://example.org/a.md')
  })

  it('shows HTML of a guide as text, and makes no link that runs a script', () => {
    const { html } = renderGuide(
      '# A <b>\n\n<script>x</script>\n\n[x](javascript:alert(1)) `<i>`\n\n```html\n<p>\n```\n',
      'a/b',
    )
    expect(html).not.to.match(/<script|<b>|<i>|<p><|href="javascript/)
    expect(html).to.contain('&lt;script&gt;')
  })

  it('names headings in the way of GitHub, also those that come twice', () => {
    const { headings, title, sections } = renderGuide('# The `.svc` file\n\n## Use it!\n\nwords\n\n## Use it!\n', 'a/b')
    expect(title).to.equal('The .svc file')
    expect(headings.map(({ anchor }) => anchor)).to.deep.equal(['the-svc-file', 'use-it', 'use-it-1'])
    expect(sections.map(({ text }) => text)).to.deep.equal(['', 'words', ''])
  })

  it('colours comments and texts of code, and keeps every character of it', () => {
    const code = `# a "note"\necho 'a & b' "c" # end\n`
    const { html } = renderGuide(`\`\`\`sh\n${code}\`\`\`\n`, 'a/b')
    expect(html).to.contain('<span class="comment"># a &quot;note&quot;</span>')
    const text = html
      .replaceAll(/<[^>]+>/g, '')
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&')
    expect(text.trimEnd()).to.equal(code.trimEnd())
  })

  it('has an index of all sections for the search, whose addresses are those of the headings', () => {
    const index: readonly (readonly string[])[] = JSON.parse(textOf('/docs/search.json'))
    expect(new Set(index.map(([address = '']) => address.split('#')[0])).size).to.equal(GUIDES.length)
    expect(index.find(([address]) => address === '/docs/guides/batches#receipts')?.[3]).to.contain('Merkle tree')
  })
})
