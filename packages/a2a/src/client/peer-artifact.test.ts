import { Artifact } from '@a2a-js/sdk'
import { describe, expect, test, vi } from 'vitest'
import { PeerArtifact } from './peer-artifact.ts'

const growing = () => new PeerArtifact('a', { peer: 'peer' }, 64)
const said = (parts: unknown[], more: object = {}) => Artifact.fromJSON({ artifactId: 'a', parts, ...more })
const appended = { append: true, isLast: false }
const whole = { append: false, isLast: false }

describe('an artifact that is appended to', () => {
  test('is not looked at again where it was known', () => {
    const artifact = growing()
    let looks = 0
    const ownKeys = (target: object) => {
      looks++
      return Reflect.ownKeys(target)
    }
    const data = new Proxy({ n: 1 }, { ownKeys })
    const big = { ...said([]), parts: [{ ...said([{ data: {} }]).parts[0], content: { $case: 'data', value: data } }] }
    artifact.take(big as Artifact, whole)
    const atFirst = looks
    for (let count = 0; count < 20; count++) artifact.take(said([{ text: 'x' }]), appended)
    artifact.close()
    expect(atFirst).toBeGreaterThan(0)
    expect(looks).toBe(atFirst)
  })

  test('tells what was appended, without a comparison of all that there is', () => {
    const artifact = growing()
    artifact.take(said([{ text: 'long ' }]), whole)
    const piece = said([{ text: 'a' }, { text: 'b' }])
    const compare = vi.spyOn(String.prototype, 'startsWith')
    const news = Array.from({ length: 20 }, () => artifact.take(piece, appended)).flat()
    const compared = compare.mock.calls.length
    compare.mockRestore()
    expect(news.map(({ delta }) => delta)).toEqual(Array.from({ length: 20 }, () => 'ab'))
    expect(news.at(-1)?.part.text).toBe(`long ${'ab'.repeat(20)}`)
    expect(compared).toBe(0)
  })

  test('is told as whole once, however often the peer says that this was the last', () => {
    const artifact = growing()
    artifact.take(said([{ text: 'x' }]), whole)
    const news = Array.from({ length: 5 }, () => artifact.take(said([{ text: 'x' }]), { append: true, isLast: true }))
    expect(news.flat().map(({ isOpen }) => isOpen)).toEqual([false, true, true, true, true])
    expect(artifact.close()).toMatchObject([{ part: { text: 'xxxxxx' }, isOpen: false }])
  })

  test('is told anew by a whole that is as long, but another', () => {
    const artifact = growing()
    artifact.take(said([{ text: 'abc' }]), whole)
    const [news] = artifact.take(said([{ text: 'xyz' }, { text: 'd' }]), whole)
    expect(news).toMatchObject({ part: { text: 'xyzd' } })
    expect(news).not.toHaveProperty('delta')
  })
})

test('an artifact that is taken back is gone, although it has an empty part', () => {
  const artifact = growing()
  artifact.take(said([{ text: 'x' }]), whole)
  const news = artifact.take(said([{ text: '' }], { metadata: { retracted: true } }), { append: false, isLast: true })
  expect(news).toMatchObject([{ partId: 'a', isRetracted: true }])
  expect(artifact.parts).toEqual([])
})

test('an artifact has little metadata, since all its parts have it', () => {
  const metadata = { list: Array.from({ length: 300 }, (_, n) => n) }
  expect(() => growing().take(said([{ text: 'x' }], { metadata }), whole)).toThrow(/too much metadata/)
})
