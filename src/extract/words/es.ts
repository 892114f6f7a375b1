import type { Language } from './language.ts';

export const spanish: Language = {
  code: 'código*|codigo*|clave*|pin|token',
  oneTime:
    'código de seguridad|código de acceso|código de un solo uso|contraseña de un solo uso|código otp|clave de un solo uso|clave dinámica|código temporal',
  password: 'contraseña*',
  verify:
    'verific*|confirm*|activa*|valid*|autentic*|verifiq*|verifíq*|verifíc*|confírm*|actív*|valíd*|active su|active tu|active la|verficación',
  signIn: 'iniciar sesión|inicio de sesión|inicia sesión|inicie sesión|acceder|registr*|entrar',
  reset:
    'restablec*|reestablec*|recuper*|contraseña nueva|nueva contraseña|cambiar la contraseña|cambiar tu contraseña|olvid*|restablezc*|reestablezc*|restabléc*|nueva clave|cambiar su contraseña|cambiar contraseña|cambia tu contraseña|cambie su contraseña|cambio de contraseña',
  invite: 'invit*|unirse|únete|unirte|aceptar|acept*|únase|invít*',
  unsubscribe:
    'darse de baja|cancelar suscripción|cancelar la suscripción|desuscrib*|configuración de notificaciones|preferencias de notificación|ajustes de notificaciones|configuraciones de notificación|configuración de notificación|dejar de recibir|anular suscripción|anular la suscripción|darte de baja|date de baja|cancelar tu suscripción|cancelar su suscripción',
  enter:
    'introduce|introduzca*|introducir|ingresa*|ingrese*|ingresar|ingresando|usa|use|usar|utiliza|utilice|escribe|escriba|digite|digita|inserte',
  expires: 'caduca*|vence|válido|expira',
  number:
    'pedido*|factura*|referencia*|número de cliente|código de cliente|cuenta|seguimiento|código postal|teléfono*|tel|importe|total|reserva*|nif|operación|protocolo|contrato|número de serie|código de error|código de barras|habitación|producto|terminada en|orden|su orden|envío|rastreo',
  offer: 'código promocional|cupón*|descuento*|vale|tarjeta regalo',
  unlock: 'desbloqu*',
  decline: 'rechaz*|declin*|revoc*',
  look: 'revis*|comprob*',
  signUp: 'registr*|inscri*|inscrib*|crear cuenta|crear una cuenta',
  link: 'enlace*|vínculo*',
  account: 'cuenta*|usuario*',
  address: 'correo*',
  or: 'o rechaz*|o declin*',
  here: 'aquí|haz clic aquí|haga clic aquí|haz click aquí|pulsa aquí|pincha aquí|continuar|siguiente',
  is: 'es|son',
  numberLabel: 'nº|número',
  unit: 'minutos|horas|días',
  travel: 'reserva*',
  contact: 'telefón*|telefono*|nif',
  retired: 'ha caducado',
  purpose: 'pedido|cuenta|reserva',
  once: 'de un solo uso|de uso único|de un uso|única|único',
};
