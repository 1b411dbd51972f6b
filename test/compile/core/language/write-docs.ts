import { readFileSync, writeFileSync } from 'node:fs'
import { documentOf, PAGE, VECTOR_FILES, vectorFile } from './document-of.ts'

// Writes the tables of docs/recipe-language.md and the published vectors out of the operators' entries.
//   npm run language:docs

writeFileSync(PAGE, documentOf(readFileSync(PAGE, 'utf8')))
for (const { language, file } of VECTOR_FILES) writeFileSync(file, vectorFile(language))
