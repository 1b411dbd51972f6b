import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { AREAS } from '../../../config/lint/house.ts'
import { TABLES } from '../../../db/schema.ts'

/** A table in a typed query, in a call that takes the name of one, and in SQL. */
const NAMED = [
  /\b(?:selectFrom|insertInto|updateTable|deleteFrom|rowInsert|using|from|\w+Join)\(\s*(?:\[\s*)?'(\w+)/g,
  /'(\w+) as \w+'/g,
  /\btable: '(\w+)'/g,
  /\b(?:from|join|into|update|lock table)\s+(?:only\s+)?(\w+)\b/gi,
]
const COMMENTS = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm

interface Source {
  readonly path: string
  readonly area: string
  readonly text: string
}

const sources: readonly Source[] = readdirSync('db', { recursive: true, encoding: 'utf8' }).flatMap((path) => {
  const [area = '', file] = path.split('/')
  if (file === undefined || !path.endsWith('.ts') || !AREAS.includes(area)) return []
  return [{ path: `db/${path}`, area, text: readFileSync(`db/${path}`, 'utf8').replaceAll(COMMENTS, '') }]
})

/** The area of each table: that of the file which defines it. */
const owners = new Map(
  sources.flatMap(({ area, text }) =>
    [...text.matchAll(/\btableName: '(\w+)'/g)].map(([, table = '']) => [table, area] as const),
  ),
)

/** Returns the tables that a text names. */
function tablesIn(text: string): readonly string[] {
  const names = NAMED.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name))
  return [...new Set(names)].filter((name) => owners.has(name))
}

describe('the tables that statements name', () => {
  const backward = sources.flatMap(({ path, area, text }) =>
    tablesIn(text)
      .filter((table) => AREAS.indexOf(owners.get(table) ?? '') > AREAS.indexOf(area))
      .map((table) => `${path}: ${table}`),
  )

  it('have each an area, and are found in typed queries and in SQL', () => {
    expect([...owners.keys()].toSorted()).to.deep.equal(TABLES.map(({ tableName }) => tableName).toSorted())
    const query = "q.selectFrom(['captures', 'concepts as c']).innerJoin('versions as v', 'v.id', 'c.id')"
    const text = 'with gone as (delete from artifacts returning id) update exports set id = 1 from tenants'
    expect(tablesIn(query)).to.have.members(['captures', 'concepts', 'versions'])
    expect(tablesIn(text)).to.have.members(['artifacts', 'exports', 'tenants'])
  })

  it('are those of their area and of areas before it', () => {
    expect(backward).to.deep.equal([])
  })
})
