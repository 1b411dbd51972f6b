import { openMembers } from './test/support/archives/forge.ts'
import { walkLeaves } from './test/support/archives/leaf-walk.ts'
import { readFile } from 'node:fs/promises'
for (const name of ['loo', 'desk']) {
  const members = await openMembers(await readFile(`/tmp/real-${name}.svc`))
  const t = performance.now()
  const walk = await walkLeaves(members, { rerun: false })
  const by = new Map<string, Set<string>>()
  for (const { leaf, change } of walk.survivors) by.set(leaf, (by.get(leaf) ?? new Set()).add(change.slice(0, 20)))
  console.log(name, walk.leaves, walk.forgeries, walk.survivors.length, performance.now() - t)
  for (const [leaf, changes] of [...by].sort()) console.log('  ', leaf, [...changes].slice(0,6).join(' | '))
}
