import { readFile } from 'node:fs/promises'
import type { Handbook } from '../../../core/gateway/ports.ts'
import type { Limits } from '../../../core/overview/limits.ts'
import { commandsIn } from '../../../core/kernel/search/commands.ts'
import type { Passage } from '../../../core/kernel/search/passage.ts'
import { createSearchIndex } from '../../../core/kernel/search/search-index.ts'
import type { Route } from '../../kernel/route.ts'
import { GUIDE_GROUPS } from './guides.ts'
import { readGuide } from './render-guide.ts'

const ROOT = new URL('../../../', import.meta.url)

/**
 * Returns the documentation for those who answer from it: the sections of the guides and of the README, and the operations
 * of the API that tenants call. It is read and indexed when first asked for.
 */
export function createHandbook(routes: () => readonly Route[], limits: Limits): Handbook {
  let index: ReturnType<Handbook['index']> | undefined
  let commands: ReturnType<Handbook['commands']> | undefined
  const handbook: Handbook = {
    index: async () => {
      index ??= readPassages(routes(), limits).then(createSearchIndex)
      return await index
    },
    commands: async () => {
      commands ??= handbook.index().then(async ({ passages }) => await createSearchIndex(commandsIn(passages)))
      return await commands
    },
  }
  return handbook
}

async function readPassages(routes: readonly Route[], limits: Limits): Promise<readonly Passage[]> {
  const passages: Passage[] = []
  for (const { path } of GUIDE_GROUPS.flatMap((group) => group.guides)) {
    const page = `/docs/${path}`
    passages.push(...(await passagesIn(`docs/${path}.md`, path, page)))
  }
  passages.push(...(await passagesIn('README.md', 'readme', null)))
  return [...passages, ...routes.flatMap((route) => operationPassage(route, limits))]
}

/** The sections of a Markdown file; `page` is where it is served, null for one that is not. */
async function passagesIn(file: string, path: string, page: string | null): Promise<readonly Passage[]> {
  const guide = readGuide(await readFile(new URL(file, ROOT), 'utf8'), path)
  return guide.headings.map(({ text, anchor, level }, at) => ({
    url: page === null || level === 1 ? page : `${page}#${anchor}`,
    title: guide.title,
    heading: text,
    blocks: guide.blocks[at] ?? [],
  }))
}

function operationPassage(route: Route, limits: Limits): readonly Passage[] {
  if (route.auth === 'admin' || route.auth === 'scim') return []
  const { method, path, group, operationId, summary } = route
  const description = route.description?.(limits)
  return [
    {
      url: `/docs/api#tag/${group}/${operationId}`,
      title: 'API reference',
      heading: summary,
      blocks: [
        { kind: 'prose', text: `\`${method.toUpperCase()} ${path}\`: ${summary}.` },
        ...(description === undefined ? [] : [{ kind: 'prose' as const, text: description }]),
      ],
    },
  ]
}
