import { readFileSync, writeFileSync } from 'node:fs'
import { documentOf, vectorFile } from './document-of.ts'

// Writes the tables of docs/recipe-language.md and the published vectors out of the operators' entries.
//   npm run language:docs

const page = new URL('../../../../docs/recipe-language.md', import.meta.url)
writeFileSync(page, documentOf(readFileSync(page, 'utf8')))
writeFileSync(new URL('../../../../docs/recipe-language-vectors.json', import.meta.url), vectorFile())
