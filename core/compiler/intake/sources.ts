export { examplesFromCsv } from './csv-examples.ts'
export { examplesFromInline } from './inline-examples.ts'
export { examplesFromJsonl } from './jsonl-examples.ts'
