/**
 * Writes `clients/typescript/test/generated/bodies.ts`: each JSON body that README and guides send with curl, as a constant
 * of the type that openapi-typescript gives it. `clients/generate.sh` calls it and type-checks the file.
 */
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROUTES } from '../api/routes.ts'

const PAGES = ['README.md', 'docs/guides/get-started.md', 'docs/guides/examples.md']
const FILE = fileURLToPath(new URL('typescript/test/generated/bodies.ts', import.meta.url))

const bodies = PAGES.flatMap((page) => {
  const text = readFileSync(fileURLToPath(new URL(`../${page}`, import.meta.url)), 'utf8')
  return text.split(/(?=\bcurl )/).flatMap((call) => {
    const found = /^curl [^\n]*?localhost:8080(\/[^ ]+) [^]*?-d '([^']+)'/.exec(call)
    return found === null ? [] : [found]
  })
}).map(([, address = '', body = '']) => {
  const route = ROUTES.find(
    ({ method, path }) => method === 'post' && new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(address),
  )
  if (!route) throw new Error(`no route takes POST ${address}`)
  return `paths['${route.path}']['post']['requestBody']['content']['application/json'] = ${JSON.stringify(JSON.parse(body))}`
})
if (bodies.length < 4) throw new Error(`only ${bodies.length} bodies were found in ${PAGES.join(' and ')}`)

const lines = bodies.map((body, i) => `export const body${i + 1}: ${body}`)
await mkdir(dirname(FILE), { recursive: true })
await writeFile(FILE, `import type { paths } from './openapi.ts'\n\n${lines.join('\n')}\n`)
