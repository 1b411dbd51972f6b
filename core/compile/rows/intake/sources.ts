export { changesFromInline, examplesFromInline, examplesFromUnlabelled } from './inline-examples.ts'
export { examplesFromJsonl } from './jsonl-examples.ts'
