/** A group of changes in the changelog. */
export interface ChangeGroup {
  /** The release, `unreleased` for what has none. */
  readonly wave: string
  /** `YYYY-MM-DD`; null without one. */
  readonly date: string | null
  readonly title: string
  readonly changes: readonly string[]
  /** The parts of the product that the changes name. */
  readonly tags: readonly ChangeTag[]
}

/** Words that show which part of the product a change is about. */
const TAG_WORDS = {
  api: /`(?:GET|POST|PUT|PATCH|DELETE)[ |]|\/v1\//,
  cli: /`svc [a-z]/,
  console: /\bconsole\b|\bpages?\b|\bdialog\b/i,
  gateway: /\bgateway\b|\bcaptures?\b|calls? of models?|\bproviders?\b/i,
  compiler: /\bcompil|\bK-score|held-out rows|\bexamples\b/i,
  security: /\bkeys?\b|\bsecret|\bredact|\bsign-?in\b/i,
} as const
/** The tags. */
export const CHANGE_TAGS = Object.keys(TAG_WORDS) as [ChangeTag, ...ChangeTag[]]
/** One of them. */
export type ChangeTag = keyof typeof TAG_WORDS

/**
 * Reads a changelog: second-level headings are releases, with a date behind the name where they have one; a paragraph is the
 * title of the list that follows it. Order is kept, newest first. Links are left as their words.
 */
export function readChangelog(markdown: string): readonly ChangeGroup[] {
  return markdown
    .split(/^## /m)
    .slice(1)
    .flatMap((release) => {
      const [heading = '', ...body] = release.split('\n')
      const [, name = heading, date = null] = /^(.*?)(?:[ ([–-]+(\d{4}-\d\d-\d\d)[)\]]?)?$/.exec(heading.trim()) ?? []
      const wave = name.replaceAll(/[[\]]/g, '').trim().toLowerCase()
      return groupsOf(body.join('\n')).map(([title, changes]) => {
        const text = [title, ...changes].join('\n')
        const tags = CHANGE_TAGS.filter((tag) => TAG_WORDS[tag].test(text))
        return { wave, date, title: title === '' ? heading.trim() : title, changes, tags }
      })
    })
}

/** Lists with the paragraphs before them; a paragraph without a list is a group of its own. */
function groupsOf(body: string): readonly (readonly [title: string, changes: readonly string[]])[] {
  const groups: [string, string[]][] = []
  for (const block of body.split(/\n{2,}/)) {
    const text = block.trim()
    if (text === '') continue
    if (!text.startsWith('- ')) {
      groups.push([plain(text).replace(/[.:]$/, ''), []])
      continue
    }
    if (groups.length === 0) groups.push(['', []])
    groups.at(-1)?.[1].push(...text.split(/\n(?=- )/).map((change) => plain(change.slice(2))))
  }
  return groups
}

function plain(text: string): string {
  return text
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
