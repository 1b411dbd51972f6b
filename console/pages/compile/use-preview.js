import { useEffect, useState } from 'preact/hooks'
import { call } from '../../api.js'

/**
 * @typedef {NonNullable<import('zod').output<typeof
 * import('../../../core/compile/wire/jobs/plan.ts').PreviewCompileAnswer>['table']>} Preview
 */
/** @typedef {import('zod').output<typeof import('../../../core/compile/wire/jobs/mapping.ts').Mapping>} Mapping */
/**
 * @typedef {object} Previewed
 * @property {Preview} [table] how the rows would be read
 * @property {unknown} [error] why they cannot be read
 * @property {boolean} isReading
 */

/** Pause after the last change before the rows are previewed, milliseconds. */
const PAUSE_MS = 400
/** The largest file that a preview takes, bytes; a larger one is compiled without. */
const MOST_BYTES = 16 * 1024 * 1024

/**
 * Asks the service how it would read these rows, shortly after each change. The last preview stays until the next is
 * there.
 *
 * @param {File | undefined} file
 * @param {Mapping} mapping
 * @returns {Previewed}
 */
export function usePreview(file, mapping) {
  const [previewed, setPreviewed] = useState(/** @type {Previewed} */ ({ isReading: false }))
  const asked = JSON.stringify(mapping)
  useEffect(() => {
    if (file === undefined || file.size > MOST_BYTES) {
      setPreviewed({ isReading: false })
      return undefined
    }
    const leaving = new AbortController()
    const ask = async () => {
      const body = new FormData()
      body.set('spec', JSON.stringify({ mapping }))
      body.set('file', file)
      try {
        /** @type {{ table: Preview | null }} */
        const { table } = await call('POST', '/v1/compile/preview', body, { signal: leaving.signal })
        setPreviewed({ isReading: false, ...(table !== null && { table }) })
      } catch (error) {
        if (!leaving.signal.aborted) setPreviewed({ isReading: false, error })
      }
    }
    setPreviewed((last) => ({ ...last, isReading: true }))
    const timer = setTimeout(() => void ask(), PAUSE_MS)
    return () => {
      clearTimeout(timer)
      leaving.abort()
    }
  }, [file, asked])
  return previewed
}
