import type { Language } from './language.ts';

export const korean: Language = {
  tag: 'ko',
  name: 'Korean',
  code: '코드|번호는|핀번호|비밀번호는',
  oneTime:
    '인증번호|인증 번호|인증코드|확인코드|보안 코드|보안코드|일회용|로그인코드|일회용 비밀번호|확인번호|확인 번호|승인번호',
  password: '비밀번호',
  verify: '인증|확인|활성화',
  signIn: '로그인|가입',
  reset: '재설정|초기화|새 비밀번호|새로운 비밀번호|비밀번호 변경|비밀번호 찾기|잊으',
  invite: '초대|참여|참가|수락',
  unsubscribe: '수신거부|수신 거부|구독 취소|구독취소',
  enter: '입력|사용하|사용해',
  expires: '유효|만료',
  number:
    '주문|주문번호|송장|송장번호|운송장|고객번호|전화|전화번호|금액|우편|우편번호|합계|예약|예약번호|접수번호|계좌|청구서|상품 코드|문의',
  offer: '쿠폰|할인|할인 코드|상품권|프로모션',
};
