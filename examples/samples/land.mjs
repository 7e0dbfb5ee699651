// Land on Earth, on a grid of 1.5°: alternating lengths of runs of sea and land in base 36, row by row from the south
// pole, each row from 180° west. Made from Natural Earth's 1:110m land (public domain).

export const rows = 120;
export const columns = 240;

const runs =
  "0 qo i 5y p 1p 9 2 3 3s y 1c 9 1 4 6 b 3i o 2 3 1g j 4 5 3r n 1 1 2 2 1e u 3l x 1h v 3f 1g 4 8 q v " +
  "3d 1x 1 e 4 w 3f 25 3 1 4 10 1 2 2 1 19 2 1t 27 6 1r p 4 1k 2h 1 21 h 7 1a 2o 2 25 4 k 1 8 4 2 5 3 " +
  "a 2y 1 6q 2 13q 5 6i 4 6j 4 5 2 6d 4 6k 5 6j 6 6i 5 4c 3 24 6 4c 2 25 6 3w 2 f 2 23 6 3w 2 h 1 22 8 " +
  "4d 2 21 a 3p 2 1 1 i 3 20 b 3n 7 g 1 23 a 3m 8 f 1 24 c 1c 5 1o 6 7 1 1 9 2j d 1b 7 1m 8 4 d 2i e " +
  "1a 8 1l p 2i f 18 a 1k p 2j f 16 c 1i q 2j f 16 c 1i q 2j f 16 d 6 2 19 q 2j i 13 e 5 3 18 p 2k k " +
  "10 f 5 3 19 n a 1 2a k 10 e 7 2 1b k a 1 2b l y g 5 4 1c h 2m m y h 4 4 1d b 1 3 2l o y j 4 3 1d 8 " +
  "3 3 2k p y j 5 1 1f 1 1 5 3 2 2l q y i 1o 4 4 1 2k r y i 4h s x i 1j 1 f 2 2f u w h 1c 3 f 4 1 2 7 " +
  "1 27 v v i 18 2 2 1 e 1 2 6 6 1 29 u w i 17 2 l 5 2h s x k 15 3 5 1 4 1 2 1 4 7 2i o 10 l 14 3 3 5 " +
  "1 2 8 1 1 2 2l n 11 m 13 2 4 5 7 1 2 1 2q k 13 n 11 3 4 6 1 3 2 1 2u i 14 p y 2 1 1 5 5 32 h 14 q w " +
  "2 1 2 7 2 32 h t 6 3 t w 1 2 2 8 2 31 d v 15 k 1 d 1 f 1 2t 1 2 c v 16 k 1 b 2 f 2 2s 1 5 2 1 6 w " +
  "17 h 2 h 1 34 1 7 1 1 1 10 13 3 2 h 2 g 3 9 1 1 1 2q 2 19 15 k 3 d 7 9 1 2o 6 18 13 1 4 h 3 c 8 7 1 " +
  "2m 1 2 6 19 11 2 7 e 5 9 1 1 7 8 1 2k 8 1c 11 2 9 c 6 8 8 9 2 2h 5 3 3 a 2 z 10 2 b b 7 7 8 1 2 2o " +
  "5 5 2 6 3 12 10 2 c a 9 4 9 2r 5 c 1 15 10 1 e 6 d 2 e 2m 6 1i z 2 d 7 w 2 1 2c 1 2 7 1j x 2 9 2 2 " +
  "7 y 2e 1 1 8 a 2 1 1 15 x 1 9 4 17 2b 2 1 9 a 1 19 v 2 9 2 1a 2a 1 1 c 2 1 5 1 1b 13 2 1b 2a 1 1 l " +
  "1c i 1 1w 29 o 1c g 3 2 8 1m 6 1 21 r 1b c h 1k 8 3 1w u 1b 2 1 8 9 2 4 1 1 1k 4 2 2 6 1t u 1b 3 3 " +
  "1 1 3 b 1r 3 2 5 3 1s w 18 6 a 1 3 2 2 1p 4 3 7 1 1r y 17 6 a 1 2 2 3 1q 1 1 1 2 8 2 1q z 16 7 8 2 " +
  "2 6 2 4 2 1n 1z 10 15 8 5 2 3 7 9 1o 5 3 1p 11 2 1 16 9 2 9 7 1t 3 2 1p 17 13 l 2 1 2 1v 1t 14 7 1 " +
  "x 2n 1r 12 1 2 4 3 x 1 1 2m 1q 15 2 2 10 2 3 2l 1 1 1n v 1 f z 4 2 2k 9 1 1a 1 2 v 2 g v 2 1 3 3 2k " +
  "9 3 n 1 m w 2 f x 1 1 2 7 1 4 1 1 25 e 4 p 1 i u 7 a 11 2 7 2 1 3 3 26 c 5 q 1 1 1 d r b a 11 1 b 3 " +
  "5 25 c 3 o 5 a u b 6 2 2 1a 8 4 28 2 1 2 2 4 2 l b 1 z b 6 f 2 w 9 2 2i 5 5 g 1c 6 1 3 3 3 2 b 5 w " +
  "8 2 2n 1 8 f 1b 2 2 1 2 5 5 9 7 d 2 i 7 2 2w 4 2 4 1h 1 1 4 7 2 1 7 8 c 6 h 6 3 6 4 2o 1 2 6 1h 6 8 " +
  "5 d w i 3 i 1 21 7 z 4 2 4 2 1 4 2 2 6 4 a f u g 3 2 3 2 1 8 1 3 1 1y b f 6 4 2 1 3 b 1 1 1 2 5 1 4 " +
  "7 9 k t 9 i 1 4 3 1 1l 7 5 2 2 d 1 m 1 3 8 6 2 2 c d k 1e 3 7 3 1 11 2 d i 1 11 4 1 3 1 1 1 2 2 3 1 " +
  "2 2 6 h m 1e 2 9 2 6 w 7 2 1q 3 16 o 1f 2 j f 2h 4 1 2 3 3 3 2 4 1 f r 1g 4 j e g 4 1s 2 j 6 7 x m " +
  "3 1k 2 2n 1 4 3 1 2 1 4 1 7 4 y l 5 1i 3 2y 6 3 8 2 x o 6 d 2 s 5 35 h 2 r 3 3 67 9 uh";

/** 1 for land, 0 for sea; row 0 is centred on 89.25° south, column 0 on 179.25° west. */
export function landMask() {
  const mask = new Uint8Array(rows * columns);
  let at = 0;
  for (const [i, run] of runs.split(" ").entries()) {
    const length = Number.parseInt(run, 36);
    if (i % 2 === 1) mask.fill(1, at, at + length);
    at += length;
  }
  return mask;
}
