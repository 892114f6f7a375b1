import type { Language } from './language.ts';

export const vietnamese: Language = {
  code: 'mã|mã số|pin',
  oneTime:
    'mã bảo mật|mã otp|ma otp|ma xac thuc|ma xac minh|ma xac nhan|mã truy cập|mật khẩu một lần|mật khẩu dùng một lần|mã dùng một lần|otp token',
  password: 'mật khẩu|mat khau|mật mã',
  verify: 'xác minh|xác thực|xác nhận|kích hoạt',
  signIn: 'đăng nhập|đăng ký|dang nhap',
  reset: 'đặt lại|khôi phục|mật khẩu mới|quên|đổi mật khẩu|thay đổi mật khẩu|lấy lại mật khẩu|thiết lập lại',
  invite: 'mời|tham gia|chấp nhận',
  unsubscribe: 'hủy đăng ký|ngừng nhận|cài đặt thông báo|huỷ đăng ký|bỏ đăng ký|hủy theo dõi|dừng nhận',
  enter: 'nhập|sử dụng|dùng|điền',
  expires: 'hết hạn|hiệu lực',
  number:
    'đơn hàng|mã đơn hàng|hóa đơn|mã khách hàng|mã vận đơn|điện thoại|số điện thoại|mã bưu điện|tổng cộng|số tiền|so tien|tham chiếu|mã gd|ma gd|giao dịch|tài khoản|số tài khoản|mã sản phẩm|đặt chỗ|phí|lệ phí|chi phí',
  offer: 'mã giảm giá|giảm giá|khuyến mãi|phiếu giảm giá',
  unlock: 'mở khóa|mở khoá',
  decline: 'từ chối',
  look: 'xem lại|xem xét',
  signUp: 'đăng ký|tạo tài khoản',
  link: 'liên kết|đường dẫn|đường link',
  account: 'tài khoản|người dùng|thành viên',
  address: 'thư điện|hộp thư|email*',
  or: 'hoặc',
  here: 'tại đây|ở đây|nhấp vào đây|bấm vào đây|nhấn vào đây|đây|tiếp tục|tiếp theo',
  is: 'là',
  numberLabel: 'số',
  once: 'một lần|dùng một lần|sử dụng một lần',
};
