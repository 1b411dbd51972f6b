import { readFileSync, writeFileSync } from 'node:fs'
import { documentOf, PAGE, UNITS_FILE, unitsFile, VECTOR_FILES, vectorFile } from './document-of.ts'

// Writes the tables of docs/formats/recipe-language.md the published vectors and units out of the operators' entries.
//   npm run language:docs

writeFileSync(PAGE, documentOf(readFileSync(PAGE, 'utf8')))
writeFileSync(UNITS_FILE, unitsFile())
for (const { language, file } of VECTOR_FILES) writeFileSync(file, vectorFile(language))
