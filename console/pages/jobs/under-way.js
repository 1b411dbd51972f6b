/** @param {{ status: string }} job */
export function isUnderWay({ status }) {
  return status === 'queued' || status === 'running'
}
