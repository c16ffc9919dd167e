import { describe, expect, test } from 'vitest'
import { TextBuffer } from './task-events.ts'

describe('text that grows', () => {
  test('comes out in the pieces that were gathered, the first replacing and the others appending', () => {
    const text = new TextBuffer()
    expect(text.add('p', 'response', 0, 'a')).toBe(true)
    expect(text.take()).toEqual([{ partId: 'p', partType: 'response', text: 'a', append: false }])
    expect(text.add('p', 'response', 1, 'b')).toBe(false)
    text.add('p', 'response', 2, 'c')
    expect(text.take()).toEqual([{ partId: 'p', partType: 'response', text: 'bc', append: true }])
    expect(text.take()).toEqual([])
  })

  test('is sent anew when it was changed further up', () => {
    const text = new TextBuffer()
    text.add('p', 'response', 0, 'hello')
    text.take()
    text.add('p', 'response', 2, 'y!')
    expect(text.take()).toEqual([{ partId: 'p', partType: 'response', text: 'hey!', append: false }])
  })

  test('of several parts keeps apart', () => {
    const text = new TextBuffer()
    text.add('p', 'response', 0, 'a')
    text.add('q', 'thinking', 0, 'b')
    expect(text.take().map((piece) => [piece.partId, piece.text])).toEqual([
      ['p', 'a'],
      ['q', 'b'],
    ])
  })

  test('is taken back only where it was sent', () => {
    const text = new TextBuffer()
    text.add('seen', 'response', 0, 'a')
    text.take()
    text.add('unseen', 'response', 0, 'b')
    expect(text.retract()).toEqual([{ partId: 'seen', partType: 'response' }])
    expect(text.take()).toEqual([])
  })

  test('of a part that is there as a whole is not sent any more', () => {
    const text = new TextBuffer()
    text.add('p', 'response', 0, 'a')
    text.close('p')
    expect(text.take()).toEqual([])
    expect(text.retract(['p'])).toEqual([])
  })
})
