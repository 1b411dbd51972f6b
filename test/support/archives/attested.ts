import { readFile } from 'node:fs/promises'

const PAGE = new URL('../../../docs/formats/svc-format.md', import.meta.url)

/** The facts that docs/formats/svc-format.md calls attested, as `member: place`, out of the page's own table. */
export async function attestedFacts(): Promise<readonly string[]> {
  const page = await readFile(PAGE, 'utf8')
  const section = page.split('### Attested, not recomputed')[1]?.split('\n## ')[0] ?? ''
  const rows = section
    .split('\n')
    .flatMap((line) => /^\| ([a-z]+\.[a-z]+) \| (.*) \| .* \|$/.exec(line)?.slice(1, 3) ?? [])
  const facts: string[] = []
  for (let i = 0; i < rows.length; i += 2) {
    for (const [, place] of (rows[i + 1] ?? '').matchAll(/`([^`]+)`/g)) facts.push(`${rows[i]}: ${place}`)
  }
  return facts
}

/** Whether a leaf is one of the facts: `*` stands for anything below, the place itself included. */
export function isAttested(leaf: string, facts: readonly string[]): boolean {
  return facts.some((fact) => {
    if (!fact.endsWith('*')) return fact === leaf
    const stem = fact.slice(0, -1)
    const place = stem.endsWith('.') ? stem.slice(0, -1) : stem
    return leaf === place || leaf.startsWith(stem) || leaf.startsWith(`${place}[]`)
  })
}
